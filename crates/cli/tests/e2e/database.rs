//! A PostgreSQL server of a test's own: in a temporary folder, behind a socket in it, ended with the test.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::env::{NOBODY, need, wait_for};

/// Its only user, who may do everything.
const USER: &str = "whyslow";

/// A server.
pub(crate) struct Server {
    folder: tempfile::TempDir,
    programs: PathBuf,
    running: Option<Child>,
}

impl Server {
    /// A new one, running; none, with the reason said, where PostgreSQL is not installed.
    pub(crate) fn new() -> Option<Server> {
        let programs = programs();
        if !need(programs.is_some(), "the server of PostgreSQL") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            // It refuses to run as root.
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let mut server = Server {
            folder,
            programs: programs.unwrap(),
            running: None,
        };
        let data = server.folder.path().join("data");
        let made = server
            .program("initdb")
            .args(["--username", USER, "--auth", "trust", "--encoding", "UTF8"])
            .args(["--no-locale", "--no-sync", "--pgdata"])
            .arg(data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        server.start();
        Some(server)
    }

    /// A program of it, as a user that it accepts, ended with the thread that starts it.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "QUIT"]);
        if is_root() {
            let [user, group] = ["--reuid", "--regid"].map(|option| format!("{option}={NOBODY}"));
            command.args([&user, &group, "--clear-groups"]);
        }
        command.arg(self.programs.join(name));
        command.current_dir(self.folder.path());
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn start(&mut self) {
        let log = fs::File::create(self.folder.path().join("log")).unwrap();
        let postgres = self
            .program("postgres")
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .arg("-k")
            .arg(self.folder.path())
            .args(["-c", "listen_addresses=", "-c", "shared_buffers=8MB"])
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        self.running = Some(postgres);
        wait_for("the server of PostgreSQL", || {
            self.asked("postgres", "SELECT 1").ok()
        });
    }

    /// Ends it as a machine that loses power does.
    pub(crate) fn lose(&mut self) {
        let mut running = self.running.take().unwrap();
        let id = running.id().to_string();
        let told = Command::new("kill").args(["-QUIT", &id]).status().unwrap();
        assert!(told.success());
        running.wait().unwrap();
    }

    /// A new database: what whyslow names it by.
    pub(crate) fn database(&self, name: &str) -> String {
        self.ask("postgres", &format!("CREATE DATABASE {name}"));
        self.name(name)
    }

    pub(crate) fn name(&self, database: &str) -> String {
        let socket = self.folder.path().to_str().unwrap().replace('/', "%2F");
        format!("postgresql://{USER}@{socket}/{database}")
    }

    /// What the server answers, unaligned.
    pub(crate) fn ask(&self, database: &str, query: &str) -> String {
        self.asked(database, query).unwrap()
    }

    fn asked(&self, database: &str, query: &str) -> Result<String, String> {
        let ran = Command::new(self.programs.join("psql"))
            .args(["--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-qAt", "-U", USER])
            .arg("-h")
            .arg(self.folder.path())
            .args(["-d", database, "-c", query])
            .output()
            .unwrap();
        match ran.status.success() {
            true => Ok(String::from_utf8(ran.stdout).unwrap().trim().to_owned()),
            false => Err(String::from_utf8_lossy(&ran.stderr).into_owned()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.running.is_some() {
            self.lose();
        }
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Where its programs are: in the path, or where Debian has them.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let debian = debian.flatten().map(|version| version.path().join("bin"));
    let has = |folder: &PathBuf| {
        let programs = ["initdb", "postgres", "psql"];
        programs
            .iter()
            .all(|name| Path::new(&folder.join(name)).exists())
    };
    std::env::split_paths(&path).chain(debian).find(has)
}
