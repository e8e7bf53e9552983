//! The memory and cores of the machine.

use std::fs::read_to_string;

/// 80 % of the memory that this process may use, in bytes. `None` where the system does not say.
pub fn default_memory_limit() -> Option<u64> {
    let installed = read_to_string("/proc/meminfo").ok().and_then(|text| total_bytes(&text));
    let granted = read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    [installed, granted].into_iter().flatten().min().map(|bytes: u64| bytes / 10 * 8)
}

fn total_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes << 10)
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo() {
        assert_eq!(total_bytes("MemTotal:       16 kB\nMemFree: 1 kB\n"), Some(16 << 10));
        assert_eq!(total_bytes("nothing"), None);
    }
}
