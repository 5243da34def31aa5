//! Which database, and how it is reached.

use std::str::FromStr;
use std::time::Duration;

use postgres::config::Host;
use postgres::{Client, Config, Error, NoTls};

use crate::index::IndexError;

/// How long a server is waited for that does not answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long one that answered may be silent to what was sent, before the connection counts as lost.
const SILENCE: Duration = Duration::from_secs(60);

/// A database.
#[derive(Debug)]
pub(super) struct Place {
    config: Config,
    /// Host and database, without a password.
    pub(super) shown: String,
}

impl Place {
    /// From `postgresql://USER@HOST/DATABASE`.
    pub(super) fn of(name: &str, password: Option<&str>) -> Result<Place, IndexError> {
        let mut config = Config::from_str(name).map_err(|error| {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            IndexError::Name {
                why: source.unwrap_or_else(|| error.to_string()),
            }
        })?;
        if let Some(password) = password.filter(|_| config.get_password().is_none()) {
            config.password(password);
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        config.application_name("whyslow fleet");
        let hosts = config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        });
        let hosts: Vec<String> = hosts.collect();
        let database = config
            .get_dbname()
            .or(config.get_user())
            .unwrap_or_default();
        let shown = format!("postgresql://{}/{database}", hosts.join(","));
        Ok(Place { config, shown })
    }

    /// A connection.
    pub(super) fn connect(&self) -> Result<Client, Error> {
        self.config.connect(NoTls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let place = Place::of("postgresql://me:secret@db.example/fleet", None).unwrap();
        assert_eq!(place.shown, "postgresql://db.example/fleet");
        let place = Place::of("postgres://me@%2Ftmp%2Fsocket/fleet", Some("secret")).unwrap();
        assert_eq!(place.shown, "postgresql:///tmp/socket/fleet");
        assert_eq!(place.config.get_password(), Some(&b"secret"[..]));
        let error = Place::of("postgresql://me:secret@db:none/fleet", None).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("postgresql://USER@HOST/DATABASE"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
