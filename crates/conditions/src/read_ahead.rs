//! Read-ahead of the device that a folder lies on.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{major, minor};

use crate::device::Device;
use crate::error::ConditionError;
use crate::kernel_file::KernelFile;

/// What says how far is read ahead for files in `folder`, with the files of the kernel below `root`.
pub(crate) fn read_ahead(root: &Path, folder: &Path) -> Result<KernelFile, ConditionError> {
    let known = fs::metadata(folder).map_err(|why| ConditionError::at(folder, why))?;
    read_ahead_by_number(root, major(known.dev()), minor(known.dev()))
}

fn read_ahead_by_number(root: &Path, major: u32, minor: u32) -> Result<KernelFile, ConditionError> {
    let none = |why: String| Err(ConditionError::unavailable(why));
    if major == 0 {
        // Network file systems; those in memory have none, and some of several devices count otherwise.
        let file = KernelFile::ReadAheadOf(minor);
        return match file.exists(root) {
            true => Ok(file),
            false => none(
                "the current folder is on no block device, nor on a file system with a read-ahead"
                    .into(),
            ),
        };
    }
    let link = root.join(format!("sys/dev/block/{major}:{minor}"));
    let Ok(device) = fs::canonicalize(&link) else {
        return none(format!(
            "the kernel shows no device {major}:{minor}, which the current folder is on"
        ));
    };
    // The queue is that of the whole disk.
    let disk = match device.join("partition").exists() {
        true => device.parent(),
        false => Some(device.as_path()),
    };
    let name = disk
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    match name.and_then(Device::parse) {
        Some(device) => Ok(KernelFile::ReadAhead(device)),
        None => none(format!(
            "device {major}:{minor} has a name that is not written to a journal"
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_partition_is_read_ahead_by_its_disk() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let disk = root.join("sys/devices/pci/block/vda");
        fs::create_dir_all(disk.join("vda1")).unwrap();
        fs::write(disk.join("vda1/partition"), "1").unwrap();
        fs::create_dir_all(root.join("sys/dev/block")).unwrap();
        symlink(&disk, root.join("sys/dev/block/8:0")).unwrap();
        symlink(disk.join("vda1"), root.join("sys/dev/block/8:1")).unwrap();
        let vda = KernelFile::ReadAhead(Device::parse("vda").unwrap());
        for minor in [0, 1] {
            assert_eq!(read_ahead_by_number(root, 8, minor).unwrap(), vda);
        }
        assert!(read_ahead_by_number(root, 8, 2).is_err());
        assert!(read_ahead_by_number(root, 0, 7).is_err());
        let other = root.join("sys/devices/virtual/bdi/0:7");
        fs::create_dir_all(&other).unwrap();
        fs::write(other.join("read_ahead_kb"), "128").unwrap();
        assert_eq!(
            read_ahead_by_number(root, 0, 7).unwrap(),
            KernelFile::ReadAheadOf(7)
        );
    }
}
