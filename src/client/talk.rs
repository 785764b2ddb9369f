//! The talk with the model: its answer is handed on as it comes, what it asks for is looked up, at most twice.

use std::time::Duration;

use anyhow::{anyhow, bail};

use super::{Compiler, Dossier, Model};
use crate::budget::Level;
use crate::llm::{ChatReply, ChatRequest, Ended, Message, ModelError};
use crate::model::Deadline;
use crate::prompt::{Filter, Given, MOST_ROUNDS, Reply, given_message, need_block, room};
use crate::render::printable;
use crate::store::Answered;

pub(crate) struct Talk<'a> {
    model: &'a Model,
    compiler: &'a Compiler<'a>,
    deadline: &'a Deadline,
    /// Files that the model has whole.
    whole: Vec<String>,
    /// Tokens for what it asks for.
    left: u32,
    /// By our count, of the turn that goes on.
    sent: u32,
    counts: Answered,
}

/// Where the answer goes.
pub(crate) trait Sink {
    /// Takes a piece; whether it wants more.
    fn piece(&mut self, text: &str) -> bool;
    /// The answer is whole, or is broken off.
    ///
    /// # Errors
    /// Where not all of it was taken.
    fn end(&mut self) -> anyhow::Result<()>;
}

impl<'a> Talk<'a> {
    pub fn new(
        model: &'a Model,
        compiler: &'a Compiler<'a>,
        dossier: &Dossier,
        deadline: &'a Deadline,
    ) -> Talk<'a> {
        let entries = dossier.answer.files.iter().filter(|entry| entry.level == Level::Full);
        let whole = entries.map(|entry| entry.path.clone()).collect();
        Talk { model, compiler, deadline, whole, left: dossier.left, sent: 0, counts: Answered::default() }
    }

    /// What was counted so far.
    pub fn counts(&self) -> Answered {
        self.counts.clone()
    }

    /// Asks until there is an answer; whether the model read all that it was sent.
    pub fn run(&mut self, mut request: ChatRequest, sink: &mut dyn Sink) -> anyhow::Result<bool> {
        let mut is_cut = false;
        for round in 0..=MOST_ROUNDS {
            let (reply, said) = self.turn(&request, sink)?;
            is_cut |= self.report(&reply);
            let Reply::Need(asked) = said else {
                return Ok(!is_cut);
            };
            let named = printable(&asked.join(", "));
            if round == MOST_ROUNDS {
                bail!(
                    "the model asked {MOST_ROUNDS} times for more and asks again ({named}), and has given no answer: \
                     name these in the task, raise --token-budget, or try another model"
                );
            }
            self.compiler.tell.say(&format!("the model asks for {named}"));
            self.counts.rounds += 1;
            let given = self.look_up(&asked);
            let message = given_message(&given, MOST_ROUNDS - round - 1);
            let cleaner = self.compiler.cleaner;
            request.messages.push(Message::assistant(cleaner.clean(&need_block(&asked))));
            request.messages.push(Message::user(cleaner.clean(&message)));
        }
        bail!("the model gave no answer: try another with --model")
    }

    /// One question and its reply; an answer is handed on as it comes.
    fn turn(&mut self, request: &ChatRequest, sink: &mut dyn Sink) -> anyhow::Result<(ChatReply, Reply)> {
        let counter = self.compiler.counter;
        let messages = request.messages.iter().map(|message| counter.count(&message.text));
        self.sent = counter.count(&request.system) + messages.sum::<u32>();
        let limit = request.window.map(|window| room::answer_limit(window, self.sent));
        let request = ChatRequest { answer_limit: limit, ..request.clone() };
        let mut filter = Filter::default();
        let reply = self.model.chat.chat(&request, self.deadline, &mut |piece| {
            if !sink.piece(&filter.push(piece)) {
                self.deadline.cancel();
            }
        });
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                sink.piece(&filter.rest());
                sink.end()?;
                return Err(explained(error));
            }
        };
        let said = filter.finish();
        if let Reply::Answer(rest) = &said {
            sink.piece(rest);
            sink.end()?;
        }
        Ok((reply, said))
    }

    /// Tells what was sent and received; says whether the server did not read all that it was sent.
    fn report(&mut self, reply: &ChatReply) -> bool {
        let tell = self.compiler.tell;
        let received = self.compiler.counter.count(&reply.text);
        let both = |own: Option<u64>, ours: u32| match own {
            Some(own) => format!("{own} tokens ({ours} by our count)"),
            None => format!("about {ours} tokens"),
        };
        tell.say(&format!(
            "{}: sent {}, received {}, {:.1} s",
            self.model.chat.name(),
            both(reply.sent, self.sent),
            both(reply.received, received),
            reply.took.as_secs_f64()
        ));
        let add = |sum: Option<u64>, own: Option<u64>| own.map_or(sum, |own| Some(sum.unwrap_or(0) + own));
        self.counts.sent = add(self.counts.sent, reply.sent);
        self.counts.received = add(self.counts.received, reply.received);
        self.counts.took_ms += reply.took.min(Duration::from_secs(u64::from(u32::MAX))).as_millis() as u64;
        match &reply.ended {
            Ended::Complete => {}
            Ended::LengthLimit => {
                tell.warn("the answer ends where its room does: ask for less, or lower --token-budget")
            }
            Ended::Other(why) => {
                tell.warn(&format!("the answer was ended by the server: {}", printable(why)))
            }
        }
        // Only of Ollama is the window known, and only Ollama cuts without a word.
        let read = reply.sent.filter(|read| self.model.window.is_some() && room::is_cut(*read, self.sent));
        if let Some(read) = read {
            tell.warn(&format!(
                "the server read {read} tokens of about {} that were sent: the answer rests on a part of the dossier; \
                 lower --token-budget, or look at the server's own limit of the window",
                self.sent
            ));
        }
        read.is_some()
    }

    /// What the model asked for, as far as it may have it and there is room.
    fn look_up(&mut self, asked: &[String]) -> Vec<Given> {
        let mut given = Vec::new();
        for name in asked {
            self.counts.asked += 1;
            let found = match self.whole.contains(name) {
                true => Err("you have all of it already".to_owned()),
                false => self.compiler.lookup(name, self.left).map_err(|error| error.to_string()),
            };
            let found = found.and_then(|found| match found.refused {
                Some(why) => Err(why),
                None => Ok((found.files, found.text)),
            });
            match found {
                Ok((entries, code)) => {
                    let tokens: u32 = entries.iter().map(|entry| entry.tokens).sum();
                    self.left = self.left.saturating_sub(tokens);
                    self.counts.granted += 1;
                    let full = entries.iter().filter(|entry| entry.level == Level::Full);
                    self.whole.extend(full.map(|entry| entry.path.clone()));
                    let paths: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
                    self.say(name, &format!("given, {tokens} tokens of {}", paths.join(", ")));
                    given.push(Given::Code(code));
                }
                Err(why) => {
                    self.say(name, &format!("refused: {why}"));
                    given.push(Given::Refused { asked: name.clone(), why });
                }
            }
        }
        given
    }

    fn say(&self, name: &str, what: &str) {
        self.compiler.tell.say(&format!("{}: {}", printable(name), printable(what)));
    }
}

/// The error with what this command has against it.
fn explained(error: ModelError) -> anyhow::Error {
    match error {
        ModelError::Deadline { .. } => anyhow!("{error} (--timeout)"),
        ModelError::PromptTooLarge { .. } => anyhow!("{error} (--token-budget)"),
        other => other.into(),
    }
}
