//! Real programs say the same on colored pages as without: output, errors and exit code.
//!
//! Programs that are not installed are passed over, but for those that CI installs.

use std::fs;
use std::process::{Command, Output};

use whyslow_model::color::ColorRun;

use crate::env::{TestEnv, need};

/// A program, and what it does.
struct Case {
    /// Programs that it takes.
    needs: &'static [&'static str],
    /// Whether CI has them.
    required: bool,
    /// What the shell runs in a folder of its own; what it prints must not depend on the moment.
    script: &'static str,
}

const CASES: &[Case] = &[
    Case {
        needs: &["python3"],
        required: true,
        script: r#"python3 -c '
import array, hashlib, json, threading, zlib
data = array.array("d", range(200000))
text = json.dumps([x * 3 for x in data[:50000]])
packed = zlib.compress(text.encode())
results = []
def work(n):
    block = bytearray(n << 20)
    block[::4096] = bytes([n]) * len(block[::4096])
    results.append(hashlib.sha256(block).hexdigest())
threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sum(data), len(packed), sorted(results), zlib.decompress(packed) == text.encode())'"#,
    },
    Case {
        needs: &["sqlite3"],
        required: true,
        script: r#"sqlite3 base.db "PRAGMA journal_mode=off; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 60000)
INSERT INTO t SELECT i, hex(i * 7919) FROM n; CREATE INDEX tb ON t(b);
SELECT count(*), sum(a), min(b), max(b) FROM t; SELECT a FROM t ORDER BY b DESC LIMIT 5;
PRAGMA integrity_check;""#,
    },
    Case {
        needs: &["git"],
        required: true,
        script: r#"export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_DATE='1 Jan 2024 00:00 +0000' GIT_COMMITTER_DATE='1 Jan 2024 00:00 +0000'
git init -q -b main tree && cd tree && for i in 1 2 3 4 5 6; do seq $((i * 9000)) > file$i; git add .; git -c user.name=a -c user.email=a@b commit -q -m "$i"; done
git gc -q && git fsck --full 2>&1 && git log --format='%H %s' --stat && git diff HEAD~3 | cksum"#,
    },
    Case {
        needs: &["xz"],
        required: true,
        script: "seq 300000 > in; xz -k -T2 -6 in && xz -l --robot in.xz | cut -f 1-8 && xz -dc in.xz | cmp - in && cksum in.xz",
    },
    Case {
        needs: &["sort"],
        required: true,
        script: "seq 200000 | sed 's/.*/& &/' | rev > in; sort -S 8M in | cksum; sort --parallel=2 -n -r in | cksum",
    },
    Case {
        needs: &["cc"],
        required: true,
        script: r#"{ for i in $(seq 400); do echo "unsigned f$i(unsigned x) { return x * $i + (x > $i ? f$((i > 1 ? i - 1 : 1))(x - 1) : 0); }"; done; echo 'int main(void) { return f400(401) % 100; }'; } > a.c
cc -O2 -o a a.c && { ./a; echo $?; } && cc -O2 -S -o - a.c | cksum"#,
    },
    Case {
        needs: &["perl"],
        required: false,
        script: r#"perl -e 'my %h; $h{$_ * 7} = "x" x ($_ % 50) for 1..100000; my @k = sort { $a <=> $b } keys %h; my $s = 0; $s += length $h{$_} for @k; print scalar(@k), " $s $k[-1]\n"; my $b = "ab" x 3000000; $b =~ tr/a/c/; print length($b), substr($b, 5, 4), "\n"'"#,
    },
    Case {
        needs: &["awk"],
        required: false,
        script: r#"seq 100000 | awk '{ s += $1; w[$1 % 977] = w[$1 % 977] $1 } END { for (i = 0; i < 977; i++) n += length(w[i]); print s, n }'"#,
    },
    Case {
        needs: &["node"],
        required: false,
        script: r#"node -e 'const a = new Float64Array(300000).map((_, i) => i * 1.5); const b = Buffer.alloc(3 << 20, 7);
const m = new Map(); for (let i = 0; i < 100000; i++) m.set("k" + i, { i });
const z = require("zlib"); console.log(a.reduce((x, y) => x + y), m.size, z.inflateSync(z.deflateSync(b)).equals(b));
const { Worker } = require("worker_threads"); new Worker("require(\"worker_threads\").parentPort.postMessage(new Array(1e5).fill(2).reduce((x, y) => x + y))", { eval: true }).on("message", m => console.log(m));'"#,
    },
    Case {
        needs: &["java", "javac"],
        required: false,
        script: r#"cat > A.java <<'X'
import java.util.*;
public class A { public static void main(String[] a) throws Exception {
 double[] d = new double[400000]; for (int i = 0; i < d.length; i++) d[i] = i * 0.5;
 Map<Integer, String> m = new TreeMap<>(); for (int i = 0; i < 50000; i++) m.put(i * 7919 % 65537, "v" + i);
 Thread[] t = new Thread[4]; long[] r = new long[4]; for (int i = 0; i < 4; i++) { final int n = i; t[i] = new Thread(() -> { byte[] b = new byte[2 << 20]; Arrays.fill(b, (byte) n); for (byte x : b) r[n] += x; }); t[i].start(); }
 for (Thread x : t) x.join(); System.gc(); System.out.println(Arrays.stream(d).sum() + " " + m.size() + " " + m.hashCode() + " " + Arrays.toString(r)); } }
X
javac A.java && java -Xmx128m A"#,
    },
    Case {
        needs: &["redis-server", "redis-cli", "redis-benchmark"],
        required: false,
        script: r#"redis-server --port 0 --unixsocket "$PWD/s" --save '' --appendonly no --dir . >/dev/null & p=$!
for i in $(seq 200); do redis-cli -s s ping >/dev/null 2>&1 && break; sleep 0.05; done
redis-benchmark -s s -q -n 5000 -t set,get,lpush,sadd -d 2000 -r 1000 >/dev/null && redis-cli -s s --raw eval 'for i=1,20000 do redis.call("set", "key" .. i, string.rep("v", i % 300)) end return redis.call("get", "key17")' 0
redis-cli -s s save; redis-cli -s s --raw strlen key299; redis-cli -s s shutdown nosave; wait $p; echo $?"#,
    },
    Case {
        needs: &["initdb", "postgres", "su"],
        required: false,
        script: r#"d=$(mktemp -d) && cd "$d" && run() { if [ "$(id -u)" = 0 ]; then chown -R postgres "$d"; su postgres -s /bin/sh -c "$1"; else sh -c "$1"; fi; }
run "initdb -D data --no-locale -E UTF8 -A trust >/dev/null 2>&1" && echo "CREATE TABLE t AS SELECT g, md5(g::text) m FROM generate_series(1, 30000) g; CREATE INDEX ON t(m); SELECT count(*), min(m), max(m) FROM t; SELECT g FROM t ORDER BY m LIMIT 3;" > q.sql && run "postgres --single -D data postgres < q.sql 2>/dev/null | grep -E '= \"'"; cd /; rm -rf "$d""#,
    },
    Case {
        // A fork server: each answer from a child of its own.
        needs: &["python3"],
        required: true,
        script: r#"python3 -c '
import hashlib, os
base = bytearray(3 << 20)
for n in range(20):
    base[n * 4096] = n
    back, out = os.pipe()
    if os.fork() == 0:
        own = bytearray(base); own[::512] = bytes([n]) * len(own[::512])
        os.write(out, hashlib.sha256(own).hexdigest().encode()); os._exit(0)
    os.wait(); print(os.read(back, 100).decode())'"#,
    },
    Case {
        // Whatever reads or writes what it may not would be said, and be another code.
        needs: &["valgrind"],
        required: false,
        script: "seq 20000 | rev > in; valgrind -q --error-exitcode=9 sort -S 4M in 2>&1 | cksum; valgrind -q --error-exitcode=9 sort -S 4M in > /dev/null; echo $?",
    },
    Case {
        needs: &["python3", "numpy"],
        required: false,
        script: r#"$PYTHON_WITH_NUMPY -c '
import numpy as np
r = np.random.default_rng(1); a = r.random((512, 512)); b = r.random((512, 512))
for i in range(10): a = np.sqrt(np.abs(a @ b)) / 20
print(a.sum().round(6), np.linalg.eigvalsh(a + a.T)[:3].round(6), np.fft.fft(r.random(1 << 17)).real[:3].round(6), np.sort(r.integers(0, 99999, 300000))[::50000])'"#,
    },
];

fn installed(program: &str) -> bool {
    match program {
        "numpy" => std::env::var_os("PYTHON_WITH_NUMPY").is_some(),
        program => Command::new("sh")
            .args(["-c", &format!("command -v {program}")])
            .output()
            .is_ok_and(|output| output.status.success()),
    }
}

fn say(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn real_programs_say_the_same() {
    let mut colored = 0;
    for case in CASES {
        let missing: Vec<&str> = case
            .needs
            .iter()
            .copied()
            .filter(|p| !installed(p))
            .collect();
        if !missing.is_empty() {
            let missing = missing.join(" and ");
            if case.required {
                need(false, &missing);
            }
            continue;
        }
        let plain = TestEnv::new();
        let run = |env: &TestEnv, mut command: Command| {
            fs::create_dir(env.path("work")).unwrap();
            command.current_dir(env.path("work")).output().unwrap()
        };
        let mut command = Command::new("sh");
        command.args(["-c", case.script]);
        let expected = say(&run(&plain, command));
        let env = TestEnv::new();
        let mut command = env.whyslow("color run --format json -o ../report -- sh -c");
        command.arg(case.script);
        let said = say(&run(&env, command));
        assert_eq!(said, expected, "{:?}", case.needs);
        assert!(
            !expected.1.is_empty(),
            "{:?} said nothing: {expected:?}",
            case.needs
        );
        let report: ColorRun =
            serde_json::from_str(&fs::read_to_string(env.path("report")).unwrap()).unwrap();
        assert!(report.programs > 0, "{report:?}");
        colored += u64::from(report.colored > 0);
        crate::env::note(&format!(
            "{:?}: {} pages in {} processes, {:.0} ms",
            case.needs,
            report.colored,
            report.processes,
            report.cost.testing_ms + report.cost.moving_ms + report.cost.waiting_ms
        ));
    }
    crate::env::note(&format!("{colored} programs had colored memory"));
}
