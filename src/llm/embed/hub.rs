//! Models from a hub that speaks as Hugging Face's does (`/ORGANISATION/NAME/resolve/REVISION/FILE`; of large files `X-Linked-Etag`
//! is the SHA-256 and `X-Linked-Size` the size, `X-Repo-Commit` is the commit: `docs/hub/en/api` and `file_download.py` of
//! huggingface_hub).
//!
//! All files come from the commit of the first one, into a folder of the shelf where they wait for the rest: what was broken off goes
//! on where it ended. Redirections are followed, since large files lie elsewhere, but to encrypted addresses alone.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, HeaderMap, LOCATION, RANGE};
use reqwest::{Response, StatusCode, Url};
use ring::digest::{Context, SHA256};

use crate::config::{ModelName, without_password};
use crate::llm::{ModelError, address, http};
use crate::model::Deadline;
use crate::workspace::private;

use super::encoder::wanted::{self, Wanted};
use super::error::CHOOSE_ANOTHER;
use super::known::KNOWN;
use super::shelf::unwritten;
use super::{Card, EmbedError, Shelf};

/// Where the hub is, where nobody says otherwise.
pub const HUB: &str = "https://huggingface.co";

/// The branch that every model has.
const REVISION: &str = "main";
/// The hub sends on to one address, and that may to another.
const MOST_REDIRECTIONS: usize = 5;
/// A connection through which nothing comes for so long is lost.
const STALL: Duration = Duration::from_secs(30);
/// A file whose size nobody tells may have so many bytes.
const LARGEST_UNTOLD: u64 = 64 << 20;
/// Digits of a SHA-256.
const DIGITS: usize = 64;
/// Read at once for a checksum.
const BLOCK: usize = 1 << 20;

/// Where files come in, in the shelf, by the model's name.
const COMING: &str = ".pull-";
const PART: &str = "part";

/// Who is told how far it is.
pub trait Progress {
    /// A file begins, of which `had` bytes are there already; `None` where its size is not told.
    fn begins(&self, file: &str, bytes: Option<u64>, had: u64);
    fn comes(&self, bytes: u64);
}

/// What the hub says of a file before it sends it.
#[derive(Debug, Default)]
struct Told {
    sha256: Option<String>,
    size: Option<u64>,
    commit: Option<String>,
}

struct Pull<'p> {
    hub: Url,
    /// For messages.
    server: String,
    repository: &'p str,
    revision: String,
    folder: PathBuf,
    progress: &'p dyn Progress,
}

/// Fetches a model from the hub (`ORGANISATION/NAME`), checks it, and installs it under this name.
pub fn pull(
    shelf: &Shelf,
    hub: &str,
    repository: &str,
    name: &ModelName,
    progress: &dyn Progress,
    deadline: &Deadline,
) -> Result<Card, EmbedError> {
    let hub = hub_at(hub)?;
    shelf.make()?;
    let folder = shelf.folder().join(format!("{COMING}{name}"));
    private::make_folder(&folder).map_err(|error| unwritten(&folder, &error))?;
    let lock = File::open(&folder).map_err(|error| unwritten(&folder, &error))?;
    if lock.try_lock().is_err() {
        return Err(EmbedError::folder(&folder, "another dossier is fetching this model", "wait for it"));
    }
    let server = format!("the hub at {}", address::shown(&hub));
    let revision = REVISION.to_owned();
    let mut pull = Pull { hub, server, repository, revision, folder, progress };
    let weights =
        KNOWN.into_iter().find(|known| known.repository == repository).and_then(|known| known.weights);
    pull.all(weights, deadline)?;
    shelf.accept(&pull.folder, name)
}

/// The hub's address. What is not encrypted could be another's, but on this machine.
fn hub_at(given: &str) -> Result<Url, EmbedError> {
    let url = address::base(given, given)?;
    if url.scheme() != "https" && !address::is_loopback(&url) {
        let why = "it must begin with https://".to_owned();
        return Err(ModelError::Address { given: without_password(given), why }.into());
    }
    Ok(url)
}

impl Pull<'_> {
    fn all(&mut self, weights: Option<&str>, deadline: &Deadline) -> Result<(), EmbedError> {
        let mut waiting = vec![wanted::modules()];
        let mut is_first = true;
        while let Some(file) = waiting.pop() {
            let told = self.one(&file, weights, deadline)?;
            if is_first {
                is_first = false;
                // The others belong to it, whatever is pushed meanwhile.
                self.revision = told.and_then(|told| told.commit).unwrap_or_else(|| REVISION.to_owned());
                let modules = self.folder.join(&file.path);
                waiting.extend(wanted::behind(&modules)?.into_iter().rev());
            }
        }
        Ok(())
    }

    /// Fetches a file; `None` where it may be missing, and is.
    fn one(
        &self,
        file: &Wanted,
        weights: Option<&str>,
        deadline: &Deadline,
    ) -> Result<Option<Told>, EmbedError> {
        let place = self.folder.join(&file.path);
        let made = place.parent().map_or(Ok(()), fs::create_dir_all);
        made.map_err(|error| unwritten(&place, &error))?;
        let part = place.with_added_extension(PART);
        let mut told = Told::default();
        let came = http::run(&self.server, deadline, async {
            Ok(match self.fetch(file, &part, &mut told).await {
                // What is there is not the beginning of it: once more, from the beginning.
                Err(Stopped::Range) => self.fetch(file, &part, &mut told).await,
                came => came,
            })
        })?;
        match came {
            Ok(()) => {}
            Err(Stopped::Missing) if !file.is_needed => return Ok(None),
            Err(stopped) => return Err(self.error(file, &part, stopped)),
        }
        let expected = told.sha256.as_deref().or(weights.filter(|_| file.is_weights));
        if let Some(expected) = expected {
            let found = sha256(&part).map_err(|error| unwritten(&part, &error))?;
            if found != expected {
                let _it_is_fetched_anew = fs::remove_file(&part);
                let why = format!("its SHA-256 is {found} instead of {expected}");
                return Err(self.refused(
                    file,
                    why,
                    "try again: it is fetched from its beginning".to_owned(),
                ));
            }
        }
        fs::rename(&part, &place).map_err(|error| unwritten(&place, &error))?;
        Ok(Some(told))
    }

    async fn fetch(&self, file: &Wanted, part: &Path, told: &mut Told) -> Result<(), Stopped> {
        let mut had = part.metadata().map_or(0, |found| found.len());
        let response = self.response(file, had, told).await?;
        let headers = response.headers().clone();
        let rest = response.content_length();
        match response.status() {
            StatusCode::PARTIAL_CONTENT if begins_at(&headers, had) => {}
            StatusCode::OK => had = 0,
            _ => {
                let _it_is_fetched_anew = fs::remove_file(part);
                return Err(Stopped::Range);
            }
        }
        let size = told.size.or(rest.map(|rest| had + rest));
        let limit = size.unwrap_or(LARGEST_UNTOLD.min(file.limit));
        if limit > file.limit {
            return Err(Stopped::TooLarge(limit, file.limit));
        }
        let mut to = OpenOptions::new();
        let to = if had > 0 { to.append(true) } else { to.write(true).create(true).truncate(true) };
        let mut to = to.open(part).map_err(Stopped::Disk)?;
        self.progress.begins(&file.path, size, had);
        self.stream(response, &mut to, had, limit).await?;
        to.sync_all().map_err(Stopped::Disk)?;
        match (size, part.metadata().map_or(0, |found| found.len())) {
            (Some(size), has) if has != size => Err(Stopped::Short(has, size)),
            _ => Ok(()),
        }
    }

    async fn stream(
        &self,
        mut response: Response,
        to: &mut File,
        had: u64,
        limit: u64,
    ) -> Result<(), Stopped> {
        let mut count = had;
        loop {
            let chunk = tokio::time::timeout(STALL, response.chunk()).await.map_err(|_| Stopped::Stalled)?;
            let Some(chunk) = chunk.map_err(|error| Stopped::Network(http::lost(&self.server, &error)))?
            else {
                return Ok(());
            };
            count += chunk.len() as u64;
            if count > limit {
                return Err(Stopped::TooLarge(count, limit));
            }
            to.write_all(&chunk).map_err(Stopped::Disk)?;
            self.progress.comes(chunk.len() as u64);
        }
    }

    /// The response that brings the file's bytes from `had` on, behind all redirections.
    async fn response(&self, file: &Wanted, had: u64, told: &mut Told) -> Result<Response, Stopped> {
        let path = format!("{}/resolve/{}/{}", self.repository, self.revision, file.path);
        let mut url = self.hub.join(&path).map_err(|error| Stopped::Odd(error.to_string()))?;
        for _ in 0..=MOST_REDIRECTIONS {
            let mut request = http::client(&url).map_err(Stopped::Network)?.get(url.clone());
            if had > 0 {
                request = request.header(RANGE, format!("bytes={had}-"));
            }
            let sent = tokio::time::timeout(STALL, request.send()).await.map_err(|_| Stopped::Stalled)?;
            let response = sent.map_err(|error| Stopped::Network(http::lost(&self.server, &error)))?;
            told.take(response.headers());
            match response.status() {
                status if status.is_redirection() => {
                    let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
                    url = self.next(&url, to)?;
                }
                StatusCode::NOT_FOUND => return Err(Stopped::Missing),
                StatusCode::RANGE_NOT_SATISFIABLE => return Ok(response),
                status if status.is_success() => return Ok(response),
                status => {
                    return Err(Stopped::Odd(http::said(status, &http::beginning(response).await)));
                }
            }
        }
        Err(Stopped::Odd(format!("it redirects more than {MOST_REDIRECTIONS} times")))
    }

    /// Where a redirection leads: to an encrypted address, or within the same server.
    fn next(&self, from: &Url, to: Option<&str>) -> Result<Url, Stopped> {
        let to = to.ok_or_else(|| Stopped::Odd("it redirects to nowhere".to_owned()))?;
        let next = from.join(to).map_err(|error| Stopped::Odd(format!("it redirects to {to}: {error}")))?;
        if next.scheme() == "https" || (next.origin() == from.origin() && next.origin() == self.hub.origin())
        {
            return Ok(next);
        }
        let shown = without_password(next.as_str());
        Err(Stopped::Odd(format!("it redirects to {shown}, which is not encrypted")))
    }

    fn error(&self, file: &Wanted, part: &Path, stopped: Stopped) -> EmbedError {
        const GO_ON: &str = "try again: it goes on where it ended";
        let refused = |why: String, remedy: &str| self.refused(file, why, remedy.to_owned());
        match stopped {
            Stopped::Network(ModelError::BrokenOff { why, .. }) => {
                refused(format!("the connection was lost: {why}"), GO_ON)
            }
            Stopped::Network(error) => error.into(),
            Stopped::Stalled => refused(format!("nothing came for {} s", STALL.as_secs()), GO_ON),
            Stopped::Disk(error) => unwritten(part, &error),
            Stopped::Short(has, size) => refused(format!("{has} of {size} bytes came"), GO_ON),
            Stopped::TooLarge(size, limit) => {
                let _it_is_fetched_anew = fs::remove_file(part);
                refused(format!("it has {size} bytes or more; at most {limit} are expected"), CHOOSE_ANOTHER)
            }
            Stopped::Missing => refused("there is no such file".to_owned(), CHOOSE_ANOTHER),
            Stopped::Range => refused("its size changes".to_owned(), "try again"),
            Stopped::Odd(why) => {
                refused(why, "look whether it is a hub that the address means, and at the model's page there")
            }
        }
    }

    fn refused(&self, file: &Wanted, why: String, remedy: String) -> EmbedError {
        let what = format!("{} of {}", file.path, self.repository);
        EmbedError::Download { server: self.server.clone(), what, why, remedy }
    }
}

/// Why a file did not come.
enum Stopped {
    Network(ModelError),
    Stalled,
    Disk(std::io::Error),
    /// Bytes that came, and that were told.
    Short(u64, u64),
    /// Bytes, and the limit.
    TooLarge(u64, u64),
    Missing,
    /// It cannot go on where it ended.
    Range,
    Odd(String),
}

impl Told {
    /// The first word counts: it is the hub's own, the others are of whoever stores files for it.
    fn take(&mut self, headers: &HeaderMap) {
        let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let is_digest = |tag: &&str| tag.len() == DIGITS && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
        let tag = value("x-linked-etag")
            .map(|tag| tag.trim_start_matches("W/").trim_matches('"'))
            .filter(is_digest);
        self.sha256 = self.sha256.take().or(tag.map(str::to_ascii_lowercase));
        self.size = self.size.or(value("x-linked-size").and_then(|size| size.parse().ok()));
        self.commit = self.commit.take().or(value("x-repo-commit").filter(is_commit).map(str::to_owned));
    }
}

/// It becomes a part of an address.
fn is_commit(commit: &&str) -> bool {
    !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn begins_at(headers: &HeaderMap, place: u64) -> bool {
    let range = headers.get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    range.is_some_and(|range| range.trim().starts_with(&format!("bytes {place}-")))
}

/// In hexadecimal digits.
fn sha256(file: &Path) -> std::io::Result<String> {
    let (mut file, mut context, mut block) = (File::open(file)?, Context::new(&SHA256), vec![0; BLOCK]);
    loop {
        match file.read(&mut block)? {
            0 => break,
            count => context.update(&block[..count]),
        }
    }
    Ok(context.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect())
}
