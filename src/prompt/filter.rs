//! Holds back the beginning of a streamed reply until it is clear whether it is an answer or a request for more.

use super::need::{LARGEST_NEED, OPENING, parse_need};

/// Between the stream and whoever reads the answer.
#[derive(Debug, Default)]
pub struct Filter {
    held: String,
    /// The reply is an answer: everything passes.
    is_open: bool,
}

/// What a reply was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A request for these.
    Need(Vec<String>),
    /// An answer; the piece of it that was still held back.
    Answer(String),
}

impl Filter {
    /// Takes the next piece, and gives what of the answer may be shown now; nothing while that is open.
    pub fn push(&mut self, piece: &str) -> String {
        if self.is_open {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        if may_be_need(&self.held) {
            return String::new();
        }
        self.is_open = true;
        std::mem::take(&mut self.held)
    }

    /// The reply has ended.
    pub fn finish(self) -> Reply {
        match parse_need(&self.held) {
            Some(asked) => Reply::Need(asked),
            None => Reply::Answer(self.held),
        }
    }

    /// The stream broke off: what was held back, whatever it was to become.
    pub fn rest(self) -> String {
        self.held
    }
}

/// Whether a reply that begins so can still become a request.
fn may_be_need(begun: &str) -> bool {
    let begun = begun.trim_start();
    if begun.len() > LARGEST_NEED {
        return false;
    }
    let Some(rest) = begun.strip_prefix(OPENING) else { return OPENING.starts_with(begun) };
    let Some((opening, body)) = rest.split_once('\n') else { return rest.trim().is_empty() };
    let behind = body.split_once("```").map_or("", |(_, behind)| behind);
    opening.trim().is_empty() && behind.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown after each character, and at the end.
    fn run(reply: &str) -> (String, Reply) {
        let mut filter = Filter::default();
        let shown = reply.chars().map(|c| filter.push(&c.to_string())).collect();
        (shown, filter.finish())
    }

    #[test]
    fn an_answer_passes_as_soon_as_it_is_one() {
        let mut filter = Filter::default();
        assert_eq!(filter.push(" \n"), "");
        assert_eq!(filter.push("``"), "");
        assert_eq!(filter.push("`rust\n"), " \n```rust\n");
        assert_eq!(filter.push("```need\n"), "```need\n");
        assert_eq!(filter.finish(), Reply::Answer(String::new()));
    }

    #[test]
    fn nothing_of_a_request_is_shown_and_nothing_of_an_answer_is_lost() {
        let need = |names: &[&str]| Reply::Need(names.iter().map(ToString::to_string).collect());
        assert_eq!(run("```need\nsrc/a.rs\nb\n```\n"), (String::new(), need(&["src/a.rs", "b"])));
        for answer in
            ["", "ok", "```", "```need", "```need\nabc", "```needle", "```need\na\n```\nSo:", "```need x\n"]
        {
            let (mut shown, end) = run(answer);
            let Reply::Answer(rest) = end else { panic!("{answer}: {end:?}") };
            shown.push_str(&rest);
            assert_eq!(shown, answer);
        }
    }

    #[test]
    fn a_request_without_end_is_held_back_no_longer_than_one_can_be() {
        let mut filter = Filter::default();
        let long = format!("```need\n{}", "a\n".repeat(LARGEST_NEED));
        assert_eq!(filter.push(&long), long);
    }

    #[test]
    fn a_stream_that_breaks_off_gives_what_was_held() {
        let mut filter = Filter::default();
        filter.push("```nee");
        assert_eq!(filter.rest(), "```nee");
    }
}
