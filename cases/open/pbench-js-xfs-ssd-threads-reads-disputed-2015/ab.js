readwrite_IOPS = [
  {
    key: 'fio_single-vm-xfs-cache:none-io:native-disk:ssd-fs:xfs-prealloc-iodepth-1-jobs-32-ioeng:sync-profile:latency-perf-full-run-with-stefan-rhel72-patch-without-perf-ag-vcpu-2-run:1_2015-10-27_00:03:39',
    values: [
       {
         "label" : "read-16384KiB",
         "value" : 139.5
       },
       {
         "label" : "randread-16KiB",
         "value" : 82350.7
       },
       {
         "label" : "randread-64KiB",
         "value" : 33650.7
       },
       {
         "label" : "randread-16384KiB",
         "value" : 132.1
       },
       {
         "label" : "write-4KiB",
         "value" : 60207.7
       },
       {
         "label" : "write-4096KiB",
         "value" : 270.1
       },
       {
         "label" : "randrw-16384KiB",
         "value" : 87.3
       },
       {
         "label" : "randrw-16KiB",
         "value" : 59829.8
       },
       {
         "label" : "randwrite-4KiB",
         "value" : 127944.0
       },
       {
         "label" : "read-64KiB",
         "value" : 33598.3
       },
       {
         "label" : "randrw-4096KiB",
         "value" : 349.1
       },
       {
         "label" : "randrw-64KiB",
         "value" : 20132.7
       },
       {
         "label" : "randwrite-1024KiB",
         "value" : 1067.3
       },
       {
         "label" : "write-16384KiB",
         "value" : 66.8
       },
       {
         "label" : "randrw-256KiB",
         "value" : 4918.8
       },
       {
         "label" : "randwrite-16384KiB",
         "value" : 68.4
       },
       {
         "label" : "write-256KiB",
         "value" : 4097.8
       },
       {
         "label" : "randread-1024KiB",
         "value" : 1576.3
       },
       {
         "label" : "randwrite-64KiB",
         "value" : 14993.8
       },
       {
         "label" : "randread-4KiB",
         "value" : 113004.7
       },
       {
         "label" : "write-64KiB",
         "value" : 17010.5
       },
       {
         "label" : "read-256KiB",
         "value" : 8861.9
       },
       {
         "label" : "read-4KiB",
         "value" : 125012.9
       },
       {
         "label" : "read-1024KiB",
         "value" : 1826.3
       },
       {
         "label" : "randwrite-16KiB",
         "value" : 60190.0
       },
       {
         "label" : "randrw-4KiB",
         "value" : 87439.6
       },
       {
         "label" : "randrw-1024KiB",
         "value" : 1430.7
       },
       {
         "label" : "write-16KiB",
         "value" : 44346.1
       },
       {
         "label" : "randwrite-4096KiB",
         "value" : 258.1
       },
       {
         "label" : "randread-4096KiB",
         "value" : 523.9
       },
       {
         "label" : "read-4096KiB",
         "value" : 564.7
       },
       {
         "label" : "write-1024KiB",
         "value" : 1050.0
       },
       {
         "label" : "randwrite-256KiB",
         "value" : 4316.9
       },
       {
         "label" : "read-16KiB",
         "value" : 80691.0
       },
       {
         "label" : "randread-256KiB",
         "value" : 8917.2
       }
     ]
  },
  {
    key: 'fio_single-vm-xfs-cache:none-io:threads-disk:ssd-fs:xfs-prealloc-iodepth-1-jobs-32-ioeng:sync-profile:latency-perf-full-run-with-stefan-rhel72-patch-without-perf-ag-vcpu-2-run:1_2015-10-27_02:19:31',
    values: [
       {
         "label" : "read-16384KiB",
         "value" : 104.6
       },
       {
         "label" : "randread-16KiB",
         "value" : 6940.7
       },
       {
         "label" : "randread-64KiB",
         "value" : 3862.9
       },
       {
         "label" : "randread-16384KiB",
         "value" : 75.4
       },
       {
         "label" : "write-4KiB",
         "value" : 39760.1
       },
       {
         "label" : "write-4096KiB",
         "value" : 255.5
       },
       {
         "label" : "randrw-16384KiB",
         "value" : 61.8
       },
       {
         "label" : "randrw-16KiB",
         "value" : 7231.0
       },
       {
         "label" : "randwrite-4KiB",
         "value" : 48387.0
       },
       {
         "label" : "read-64KiB",
         "value" : 3960.1
       },
       {
         "label" : "randrw-4096KiB",
         "value" : 246.9
       },
       {
         "label" : "randrw-64KiB",
         "value" : 3270.5
       },
       {
         "label" : "randwrite-1024KiB",
         "value" : 1018.2
       },
       {
         "label" : "write-16384KiB",
         "value" : 63.1
       },
       {
         "label" : "randrw-256KiB",
         "value" : 1730.7
       },
       {
         "label" : "randwrite-16384KiB",
         "value" : 64.4
       },
       {
         "label" : "write-256KiB",
         "value" : 3292.9
       },
       {
         "label" : "randread-1024KiB",
         "value" : 1301.7
       },
       {
         "label" : "randwrite-64KiB",
         "value" : 14974.5
       },
       {
         "label" : "randread-4KiB",
         "value" : 10974.8
       },
       {
         "label" : "write-64KiB",
         "value" : 15158.0
       },
       {
         "label" : "read-256KiB",
         "value" : 2880.2
       },
       {
         "label" : "read-4KiB",
         "value" : 16054.8
       },
       {
         "label" : "read-1024KiB",
         "value" : 1460.8
       },
       {
         "label" : "randwrite-16KiB",
         "value" : 36168.1
       },
       {
         "label" : "randrw-4KiB",
         "value" : 14377.7
       },
       {
         "label" : "randrw-1024KiB",
         "value" : 829.5
       },
       {
         "label" : "write-16KiB",
         "value" : 35684.3
       },
       {
         "label" : "randwrite-4096KiB",
         "value" : 256.6
       },
       {
         "label" : "randread-4096KiB",
         "value" : 298.4
       },
       {
         "label" : "read-4096KiB",
         "value" : 387.7
       },
       {
         "label" : "write-1024KiB",
         "value" : 1023.8
       },
       {
         "label" : "randwrite-256KiB",
         "value" : 3824.5
       },
       {
         "label" : "read-16KiB",
         "value" : 7482.5
       },
       {
         "label" : "randread-256KiB",
         "value" : 2845.4
       }
     ]
  }
]
