//! What is masked, and what is not: most of source code is innocent.

use proptest::prelude::*;

use super::*;

/// Planted secrets are put together here, so that no scanner takes this file for a leak.
fn planted() -> Vec<(String, String)> {
    let random =
        |n: usize| -> String { "x7Kq9LmZ2vRt4WcB8nYp3HdF6sJg1TaQ5uEo0iVX".chars().cycle().take(n).collect() };
    let hex =
        |n: usize| -> String { "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b".chars().cycle().take(n).collect() };
    let upper = |n: usize| random(n).to_uppercase();
    let line = |before: &str, secret: String, after: &str| (format!("{before}{secret}{after}"), secret);
    vec![
        line("let key = \"", format!("AK{}{}", "IA", upper(16)), "\";"),
        line("token: ", format!("gh{}_{}", "p", random(36)), ""),
        line("x(\"", format!("github_{}_{}", "pat", random(60)), "\")"),
        line("GITLAB=", format!("gl{}-{}", "pat", random(20)), ""),
        line("a = '", format!("xo{}-{}", "xb", random(30)), "'"),
        line("stripe(", format!("sk_{}_{}", "live", random(24)), ")"),
        line("# ", format!("sk-{}-{}", "ant", random(40)), " is mine"),
        line("", format!("sk-{}-{}", "proj", random(48)), ""),
        line("key=", format!("AI{}{}", "za", random(35)), "&q=1"),
        line("//registry/:_authToken=", format!("np{}_{}", "m", random(36)), ""),
        line("cargo login ", format!("ci{}{}", "o", random(32)), ""),
        line("jwt ", format!("ey{0}{1}.ey{0}{2}.{3}", "J", random(20), random(30), random(40)), ";"),
        line("https://hooks.slack.com/services/", format!("T{}/B{}/{}", upper(8), upper(8), random(24)), ""),
        line("postgres://app:", "S3cr3tpw9".to_owned(), "@db:5432/app"),
        line("let u = \"redis://:", random(16), "@cache\";"),
        line("Authorization: Bearer ", random(40), ""),
        line(".header(\"authorization\", \"Basic ", "dXNlcjpwYXNzd29yZA==".to_owned(), "\")"),
        line("password = \"", "Tr0ub4dor&3".to_owned(), "\""),
        line("let db_password = \"", "Summer2024!".to_owned(), "\"; // keep"),
        line("  \"api_key\": \"", random(32), "\","),
        line("const API_KEY: &str = \"", hex(32), "\";"),
        line("aws_secret_access_key = ", format!("{}/{}", random(20), random(19)), ""),
        line("export DB_PASSWORD=", random(14) + "qz", "\n"),
        line("client_secret: Some(\"", random(24), "\".into()),"),
        line("  auth-token: ", hex(40), ""),
        line("DB_PASSWORD=", "Tr0ub4dor&3".to_owned(), "\n"),
        line("let body = \"{\\\"password\\\": \\\"", random(12), "\\\"}\";"),
        line("Server=db;Password=", "Summer2024!x".to_owned(), ";Encrypt=true"),
        line("https://api.host/v1?q=1&api_key=", random(24), "&page=2"),
        line("curl --token=", hex(32), " https://host"),
    ]
}

fn innocent(text: &str) {
    let redacted = redact(text);
    assert_eq!(redacted.text, text);
    assert_eq!(redacted.masked, 0);
}

#[test]
fn planted_secrets_never_survive_and_the_rest_of_the_line_does() {
    for (line, secret) in planted() {
        let redacted = redact(&line);
        assert!(!redacted.text.contains(&secret), "{secret} survives in {line}");
        assert_eq!(redacted.text, line.replace(&secret, MASK));
        assert_eq!(redacted.masked, 1, "{line}");
    }
}

#[test]
fn names_and_types_are_innocent() {
    innocent("struct User { password: String, api_key: Option<ApiKey>, token: Token }");
    innocent("match token.kind { TokenKind::Secret => secret(token), _ => password(\"\") }");
    innocent("let password = read_password(\"Enter your password: \")?;");
    innocent("let secret: &str = &config.secret; let token = \"refs/heads/main\";");
    innocent("const TOKEN: SyntaxKind = SyntaxKind::L_PAREN2;");
    innocent("token = \"left-paren\"; access_key = \"Shift+F10\"; secret_key: \"server.tls.key_path_v2\"");
    innocent("DB_PASSWORD=$(cat /run/secrets/db) API_KEY=${API_KEY}");
    innocent("if token == expected_token2 && key=value; while password=next_1(token)");
    innocent("https://host/path?token=abc&secret=def PWD=C:\\Users\\x1\\src2 ?password=");
    innocent("private_key: x25519_dalek_public_key_bytes");
}

#[test]
fn words_of_tests_and_templates_are_innocent() {
    innocent("password = \"hunter2hunter2\"; secret: \"my-secret-value-1\"; token: \"test-token-123456\"");
    innocent("postgres://user:password@localhost/db postgres://postgres:postgres@localhost");
    innocent("postgres://{user}:{password}@{host} https://$USER:$PASS@host https://user:<token>@host");
    innocent("Authorization: Bearer <token>, Bearer {token}, Bearer my-access-token");
    innocent(concat!("AKIA", "IOSFODNN7EXAMPLE ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
}

#[test]
fn hashes_and_addresses_are_innocent() {
    innocent(
        "commit 4d7f5c043e2f1d0c9b8a79685746352413021100 checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\"",
    );
    innocent(
        "https://github.com/rust-lang/rust/blob/master/README.md#L10 http://[::1]:8080/@user http://host:8080/a@b",
    );
}

const KEY_LINES: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\r\n  MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\r\nAB12";

fn key(lines: &str) -> String {
    format!("before\n-----BEGIN RSA {0} KEY-----\r\n{lines}\r\n-----END RSA {0} KEY-----\nafter", "PRIVATE")
}

#[test]
fn lines_of_a_private_key_are_masked_one_by_one() {
    let redacted = redact(&key(KEY_LINES)).text.into_owned();
    assert_eq!(redacted, key("[masked]\r\n  [masked]\r\n[masked]"));
    assert_eq!(redact(&key(KEY_LINES)).masked, 1);
}

#[test]
fn a_private_key_that_was_cut_is_masked_too() {
    let whole = key(&KEY_LINES.replace("\r\nAB12", ""));
    let head = &whole[..whole.find("-----END").unwrap()];
    assert!(!redact(head).text.contains("MzEfYyji"));
    let tail = &whole[whole.find("MIIE").unwrap()..];
    assert!(!redact(tail).text.contains("MzEfYyji"));
    let string = format!(
        "\"-----BEGIN {0} KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAAS\\n-----END {0} KEY-----\"",
        "PRIVATE"
    );
    assert!(!redact(&string).text.contains("MIIE"));
}

#[test]
fn code_about_keys_is_innocent() {
    innocent(
        "const BEGIN: &str = \"-----BEGIN PRIVATE KEY-----\";\nconst END_OF_THE_LONGEST_KEYS_MARK: &str = \"-----END PRIVATE KEY-----\";\n",
    );
    innocent("starts with -----BEGIN PRIVATE KEY----- and goes on");
}

proptest! {
    #[test]
    fn lines_are_kept_and_twice_is_once(
        parts in prop::collection::vec((0usize..45, "[ -~\n\r\\t]{0,30}"), 0..8),
    ) {
        let planted = planted();
        let mut text = String::new();
        for (at, filler) in &parts {
            if let Some((line, _)) = planted.get(*at) {
                text.push_str(line);
            } else if at % 3 == 0 {
                text.push_str(&key(KEY_LINES));
            }
            text.push_str(filler);
        }
        let once = redact(&text);
        prop_assert_eq!(once.text.matches('\n').count(), text.matches('\n').count());
        let twice = redact(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
    }

    #[test]
    fn planted_secrets_survive_in_no_surroundings(
        at in 0usize..30, before in "[ -~]{0,20}\n", after in "\n[ -~\n]{0,20}",
    ) {
        let planted = planted();
        let (line, secret) = &planted[at % planted.len()];
        let text = format!("{before}{line}{after}");
        prop_assert!(!redact(&text).text.contains(secret.as_str()), "{}", text);
    }

    #[test]
    fn any_text_is_taken(text in "\\PC{0,200}") {
        redact(&text);
    }
}
