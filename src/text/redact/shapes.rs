//! Secrets whose issuers gave them a shape, and secrets by where they stand: in a URL, in a header.

use std::sync::LazyLock;

use regex::Regex;

use super::Secret;
use super::random::{different, is_base64_noise, is_random, is_stand_in};
use crate::text::pattern;

/// Keys as their issuers document them.
static ISSUED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) (?-u:\b)(?:
        (?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?-u:\b)                       # AWS
      | gh[pousr]_[A-Za-z0-9]{36,255} | github_pat_[A-Za-z0-9_]{40,255}
      | gl(?:pat|ptt|dt|rt|cbt|soat|agent|ft|imt)-[A-Za-z0-9_-]{20,}  # GitLab
      | xox[abeoprs]-[A-Za-z0-9-]{10,} | xapp-[0-9]-[A-Za-z0-9-]{20,}  # Slack
      | [sr]k_(?:live|test)_[A-Za-z0-9]{16,} | whsec_[A-Za-z0-9]{24,}  # Stripe
      | sk-ant-[A-Za-z0-9_-]{20,}                                   # Anthropic
      | sk-(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,} | sk-[A-Za-z0-9]{32,}  # OpenAI and its kin
      | AIza[A-Za-z0-9_-]{35} | ya29\.[A-Za-z0-9_-]{20,} | GOCSPX-[A-Za-z0-9_-]{28}  # Google
      | npm_[A-Za-z0-9]{36} | cio[A-Za-z0-9]{32,40}(?-u:\b) | pypi-AgE[A-Za-z0-9_-]{40,}
      | hf_[A-Za-z0-9]{30,} | gsk_[A-Za-z0-9]{40,} | xai-[A-Za-z0-9]{40,} | r8_[A-Za-z0-9]{37} | pplx-[A-Za-z0-9]{40,}
      | eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}  # JSON web token
      | SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,50}              # SendGrid
      | dop_v1_[a-f0-9]{64} | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32} | hvs\.[A-Za-z0-9_-]{24,}
      | dckr_pat_[A-Za-z0-9_-]{20,} | dp\.pt\.[A-Za-z0-9]{40,} | lin_api_[A-Za-z0-9]{40} | figd_[A-Za-z0-9_-]{30,}
      | sntrys_[A-Za-z0-9_+/=]{40,} | dapi[a-f0-9]{32} | AGE-SECRET-KEY-1[A-Z0-9]{58} | PMAK-[a-f0-9]{24}-[a-f0-9]{34}
      | [0-9]{8,10}:AA[A-Za-z0-9_-]{33}                                # Telegram
      )",
    )
});

/// `https://hooks.slack.com/services/T…/B…/…`, the same for Discord: whoever has the address may post.
static HOOK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:hooks\.slack\.com/services/|discord(?:app)?\.com/api/webhooks/)([A-Za-z0-9/_-]{24,})")
});

/// The password of `scheme://user:password@host`.
static IN_URL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"://([^\s/:@"'`<>\[\](){}]*):([^\s/:@"'`<>(){}\[\]\\]{3,})@[A-Za-z0-9\[{$]"#));

/// The value of `Authorization: Bearer …`, or of a bearer token alone.
static BEARER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i-u)\b(?:bearer|basic|authorization:\s*token)\s+([a-z0-9._~+/-]{12,}=*)"));

/// Different characters of a real key: fewer are a row of `x`.
const FEWEST_DIFFERENT: usize = 8;

/// A mark of keys in documentation, as in AWS's own.
const DOCUMENTED: &str = "EXAMPLE";

pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    for key in ISSUED.find_iter(text) {
        if different(key.as_str()) >= FEWEST_DIFFERENT && !key.as_str().contains(DOCUMENTED) {
            found.push(Secret { range: key.range() });
        }
    }
    for value in HOOK.captures_iter(text).filter_map(|hook| hook.get(1)) {
        if different(value.as_str()) >= FEWEST_DIFFERENT {
            found.push(Secret { range: value.range() });
        }
    }
    for url in IN_URL.captures_iter(text) {
        if let (Some(user), Some(value)) = (url.get(1), url.get(2))
            && !is_url_stand_in(user.as_str(), value.as_str())
        {
            found.push(Secret { range: value.range() });
        }
    }
    for value in BEARER.captures_iter(text).filter_map(|header| header.get(1)) {
        let drawn = is_random(value.as_str()) || is_base64_noise(value.as_str());
        if drawn && !is_stand_in(value.as_str()) {
            found.push(Secret { range: value.range() });
        }
    }
}

/// What documentation and tests write for a password in a URL.
const STAND_INS: [&str; 14] = [
    "pass",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "user",
    "username",
    "secret",
    "token",
    "key",
    "test",
    "foo",
    "bar",
    "xxx",
];

/// `user:pass@`, `postgres:postgres@`, `$USER:$PASS@`.
fn is_url_stand_in(user: &str, value: &str) -> bool {
    let is_variable = value.contains(['$', '%']) && !value.contains(|c: char| c.is_ascii_lowercase());
    value == user || is_variable || STAND_INS.iter().any(|word| value.eq_ignore_ascii_case(word))
}
