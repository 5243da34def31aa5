readwrite_IOPS = [
  {
    key: 'fio_multi-vm-ext4-cache:none-io:native-disk:hdd-fs:ext4-img:qcow2-prealloc:fallocate-manual-iodepth-1-jobs-32-ioeng:sync-profile:latency-with-perf-with-stefan-rhel72-vcpu-2-fresh-install-run:10_2015-11-17_13:32:36',
    values: [
       {
         "label" : "randread-16KiB",
         "value" : 7722.7
       },
       {
         "label" : "randread-64KiB",
         "value" : 6477.3
       },
       {
         "label" : "write-64KiB",
         "value" : 51985.8
       },
       {
         "label" : "read-256KiB",
         "value" : 1446.1
       },
       {
         "label" : "read-4KiB",
         "value" : 7158.1
       },
       {
         "label" : "write-4KiB",
         "value" : 121666.1
       },
       {
         "label" : "write-4096KiB",
         "value" : 135.2
       },
       {
         "label" : "read-1024KiB",
         "value" : 333.9
       },
       {
         "label" : "randwrite-16KiB",
         "value" : 1297.5
       },
       {
         "label" : "randrw-1024KiB",
         "value" : 85.2
       },
       {
         "label" : "randrw-4KiB",
         "value" : 724.2
       },
       {
         "label" : "write-16KiB",
         "value" : 100319.1
       },
       {
         "label" : "randrw-16KiB",
         "value" : 696.0
       },
       {
         "label" : "randwrite-4KiB",
         "value" : 1321.5
       },
       {
         "label" : "read-64KiB",
         "value" : 4769.5
       },
       {
         "label" : "randwrite-4096KiB",
         "value" : 40.7
       },
       {
         "label" : "randrw-4096KiB",
         "value" : 40.2
       },
       {
         "label" : "randrw-64KiB",
         "value" : 657.0
       },
       {
         "label" : "randwrite-1024KiB",
         "value" : 99.8
       },
       {
         "label" : "write-1024KiB",
         "value" : 3347.2
       },
       {
         "label" : "randrw-256KiB",
         "value" : 234.0
       },
       {
         "label" : "randwrite-256KiB",
         "value" : 371.6
       },
       {
         "label" : "write-256KiB",
         "value" : 13405.7
       },
       {
         "label" : "read-16KiB",
         "value" : 6488.8
       },
       {
         "label" : "randread-1024KiB",
         "value" : 1477.1
       },
       {
         "label" : "randwrite-64KiB",
         "value" : 1324.9
       },
       {
         "label" : "randread-256KiB",
         "value" : 3901.5
       },
       {
         "label" : "randread-4KiB",
         "value" : 8335.4
       }
     ]
  },
  {
    key: 'fio_multi-vm-ext4-cache:none-io:threads-disk:hdd-fs:ext4-img:qcow2-prealloc:fallocate-manual-iodepth-1-jobs-32-ioeng:sync-profile:latency-with-perf-with-stefan-rhel72_vcpu-2-fresh-install-run:10_2015-11-17_23:00:24',
    values: [
       {
         "label" : "randread-16KiB",
         "value" : 9395.2
       },
       {
         "label" : "randread-64KiB",
         "value" : 7762.8
       },
       {
         "label" : "write-64KiB",
         "value" : 46604.9
       },
       {
         "label" : "read-256KiB",
         "value" : 1415.2
       },
       {
         "label" : "read-4KiB",
         "value" : 7686.8
       },
       {
         "label" : "write-4KiB",
         "value" : 63252.7
       },
       {
         "label" : "write-4096KiB",
         "value" : 167.5
       },
       {
         "label" : "read-1024KiB",
         "value" : 300.5
       },
       {
         "label" : "randwrite-16KiB",
         "value" : 1279.3
       },
       {
         "label" : "randrw-1024KiB",
         "value" : 104.5
       },
       {
         "label" : "randrw-4KiB",
         "value" : 690.4
       },
       {
         "label" : "write-16KiB",
         "value" : 58418.1
       },
       {
         "label" : "randrw-16KiB",
         "value" : 672.4
       },
       {
         "label" : "randwrite-4KiB",
         "value" : 1333.5
       },
       {
         "label" : "read-64KiB",
         "value" : 5218.4
       },
       {
         "label" : "randread-4096KiB",
         "value" : 525.8
       },
       {
         "label" : "randwrite-4096KiB",
         "value" : 43.9
       },
       {
         "label" : "randrw-4096KiB",
         "value" : 42.0
       },
       {
         "label" : "randrw-64KiB",
         "value" : 600.1
       },
       {
         "label" : "randwrite-1024KiB",
         "value" : 100.3
       },
       {
         "label" : "write-1024KiB",
         "value" : 3330.0
       },
       {
         "label" : "randrw-256KiB",
         "value" : 236.6
       },
       {
         "label" : "randwrite-256KiB",
         "value" : 356.6
       },
       {
         "label" : "write-256KiB",
         "value" : 13297.3
       },
       {
         "label" : "read-16KiB",
         "value" : 7482.4
       },
       {
         "label" : "randread-1024KiB",
         "value" : 1691.0
       },
       {
         "label" : "randwrite-64KiB",
         "value" : 1270.6
       },
       {
         "label" : "randread-256KiB",
         "value" : 4622.0
       },
       {
         "label" : "randread-4KiB",
         "value" : 9844.2
       }
     ]
  }
]
