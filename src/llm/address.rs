//! Where a model server is: addresses as people write them.

use std::net::{IpAddr, Ipv6Addr};

use reqwest::Url;

use super::ModelError;
use crate::config::without_password;

/// Where Ollama listens unless told otherwise: `envconfig/config.go` of Ollama.
const OLLAMA_PORT: u16 = 11434;

/// The base of Ollama's addresses, out of what `OLLAMA_HOST` may hold (`Host` and `ConnectableHost` in `envconfig/config.go` of
/// Ollama): a scheme, a host, a port and a path, each of which may be missing. An address to listen on everywhere means this
/// machine.
pub(super) fn ollama(given: &str) -> Result<Url, ModelError> {
    let written = given.trim().trim_matches(['"', '\'']).trim();
    let (scheme, rest) = written.split_once("://").unwrap_or(("", written));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    let host = match host {
        "" => "127.0.0.1".to_owned(),
        host if host.parse::<Ipv6Addr>().is_ok() => format!("[{host}]"),
        host if host.starts_with(':') => format!("127.0.0.1{host}"),
        host => host.to_owned(),
    };
    let has_port = host.rsplit(']').next().is_some_and(|end| end.contains(':'));
    let port = if scheme.is_empty() && !has_port { format!(":{OLLAMA_PORT}") } else { String::new() };
    let scheme = if scheme.is_empty() { "http" } else { scheme };
    let user = user.map(|user| format!("{user}@")).unwrap_or_default();
    let mut url = base(&format!("{scheme}://{user}{host}{port}/{path}"), given)?;
    let reachable = match ip(&url) {
        Some(IpAddr::V4(ip)) if ip.is_unspecified() => Some("127.0.0.1"),
        Some(IpAddr::V6(ip)) if ip.is_unspecified() => Some("[::1]"),
        _ => None,
    };
    if let Some(host) = reachable {
        let _ = url.set_host(Some(host));
    }
    Ok(url)
}

/// An http or https address to which paths can be joined. `given` is what the user wrote.
pub(super) fn base(address: &str, given: &str) -> Result<Url, ModelError> {
    let wrong = |why: &str| ModelError::Address { given: without_password(given), why: why.to_owned() };
    let mut url = Url::parse(address.trim()).map_err(|error| wrong(&error.to_string()))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(wrong("it is neither http nor https"));
    }
    url.set_query(None);
    url.set_fragment(None);
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

/// An address as messages show it: without the slash at its end, with the password masked.
pub(super) fn shown(url: &Url) -> String {
    without_password(url.as_str().trim_end_matches('/'))
}

/// Whether it is this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    match ip(url) {
        Some(ip) => ip.is_loopback(),
        None => url.host_str().is_some_and(|host| host == "localhost" || host.ends_with(".localhost")),
    }
}

fn ip(url: &Url) -> Option<IpAddr> {
    url.host_str()?.trim_matches(['[', ']']).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ollama_host_may_be_written_in_many_ways() {
        for (given, meant) in [
            ("", "http://127.0.0.1:11434/"),
            ("localhost", "http://localhost:11434/"),
            ("localhost:80", "http://localhost/"),
            (" 'example.org:1234' ", "http://example.org:1234/"),
            (":1234", "http://127.0.0.1:1234/"),
            ("0.0.0.0", "http://127.0.0.1:11434/"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080/"),
            ("::", "http://[::1]:11434/"),
            ("[::]:9", "http://[::1]:9/"),
            ("::1", "http://[::1]:11434/"),
            ("[fe80::1]", "http://[fe80::1]:11434/"),
            ("http://example.org", "http://example.org/"),
            ("https://example.org/ollama", "https://example.org/ollama/"),
            ("http://example.org:11434/base/?a=1#b", "http://example.org:11434/base/"),
            ("example.org/base", "http://example.org:11434/base/"),
            ("user:pass@example.org", "http://user:pass@example.org:11434/"),
        ] {
            assert_eq!(ollama(given).map(String::from), Ok(meant.to_owned()), "{given}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_its_password() {
        for given in ["ftp://u:secret@example.org", "host:99999", "a b", "u:secret@ho st", "http://[::1"] {
            let said = ollama(given).unwrap_err().to_string();
            assert!(said.contains("is no address") && !said.contains("secret"), "{given}: {said}");
        }
    }

    #[test]
    fn passwords_are_masked_and_loopback_is_known() {
        let url = |text: &str| base(text, text).unwrap();
        assert_eq!(shown(&url("http://me:secret@example.org/a/")), "http://***@example.org/a");
        for (text, is) in [
            ("http://localhost:1/", true),
            ("http://127.8.0.1/", true),
            ("http://[::1]/", true),
            ("http://10.0.0.1/", false),
            ("http://localhost.example.org/", false),
        ] {
            assert_eq!(is_loopback(&url(text)), is, "{text}");
        }
    }
}
