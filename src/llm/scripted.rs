//! A model that says what it was told to: the twin of the others for tests, without a network.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::model::Deadline;

use super::{ChatModel, ChatReply, ChatRequest, Ended, ModelError};

/// Gives its replies one after the other, and remembers what it was asked.
#[derive(Debug, Default)]
pub struct Scripted {
    window: Option<u32>,
    replies: Mutex<VecDeque<Result<ChatReply, ModelError>>>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl Scripted {
    /// A model that gives these replies and errors in this order; once they are used up, it fails.
    pub fn new(replies: impl IntoIterator<Item = Result<ChatReply, ModelError>>) -> Scripted {
        Scripted { replies: Mutex::new(replies.into_iter().collect()), ..Scripted::default() }
    }

    /// A model that answers with these texts, each of which it had said in full.
    pub fn saying<'t>(texts: impl IntoIterator<Item = &'t str>) -> Scripted {
        Scripted::new(texts.into_iter().map(|text| Ok(Scripted::reply(text))))
    }

    /// The same with a window.
    pub fn with_window(self, tokens: u32) -> Scripted {
        Scripted { window: Some(tokens), ..self }
    }

    /// A complete reply in no time, without counters.
    pub fn reply(text: &str) -> ChatReply {
        let (text, ended) = (text.to_owned(), Ended::Complete);
        ChatReply { text, sent: None, received: None, ended, took: Duration::ZERO }
    }

    /// What it was asked so far.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ChatModel for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn window(&self, _deadline: &Deadline) -> Result<Option<u32>, ModelError> {
        Ok(self.window)
    }

    /// An answer comes in two pieces where it can be halved, and not at all once the deadline is over.
    fn chat(
        &self,
        request: &ChatRequest,
        deadline: &Deadline,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<ChatReply, ModelError> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let server = "scripted".to_owned();
        if deadline.is_cancelled() {
            return Err(ModelError::Cancelled);
        }
        if deadline.is_over() {
            return Err(ModelError::Deadline { server, waited: Duration::ZERO, so_far: String::new() });
        }
        let next = self.replies.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let said = "the script has no more replies".to_owned();
        let reply = next.unwrap_or(Err(ModelError::Failed { server, said, so_far: String::new() }));
        let text = reply.as_ref().map_or_else(ModelError::so_far, |reply| &reply.text);
        let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
        for piece in [first, second].into_iter().filter(|piece| !piece.is_empty()) {
            on_text(piece);
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_answers_in_order_and_remembers() {
        let model = Scripted::saying(["äö", "b"]).with_window(10);
        let ask = |pieces: &mut String| {
            model.chat(&ChatRequest::default(), &Deadline::never(), &mut |piece| pieces.push_str(piece))
        };
        let mut pieces = String::new();
        assert_eq!(ask(&mut pieces).unwrap().text, "äö");
        assert_eq!(ask(&mut pieces).unwrap().text, "b");
        assert!(matches!(ask(&mut pieces), Err(ModelError::Failed { .. })));
        assert_eq!(pieces, "äöb");
        assert_eq!((model.requests().len(), model.window(&Deadline::never())), (3, Ok(Some(10))));
    }
}
