//! The talk with the model: its answer goes to standard output as it comes, what it asks for is looked up, at most twice.

use std::io::Write;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};

use super::dossier::{Compiler, Dossier};
use super::model::Model;
use crate::budget::Level;
use crate::cli::Outcome;
use crate::llm::{ChatReply, ChatRequest, Ended, Message, ModelError};
use crate::model::Deadline;
use crate::prompt::{Filter, Given, MOST_ROUNDS, Reply, given_message, need_block, room};
use crate::render::{harmless, printable};
use crate::store::Answered;

pub(super) struct Talk<'a> {
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

    /// Asks until there is an answer.
    pub fn run(&mut self, mut request: ChatRequest) -> anyhow::Result<Outcome> {
        let mut is_cut = false;
        for round in 0..=MOST_ROUNDS {
            let (reply, said) = self.turn(&request)?;
            is_cut |= self.report(&reply);
            let Reply::Need(asked) = said else {
                let outcome = if is_cut { Outcome::Troubled } else { Outcome::Done };
                return Ok(outcome);
            };
            let named = printable(&asked.join(", "));
            if round == MOST_ROUNDS {
                bail!(
                    "the model asked {MOST_ROUNDS} times for more and asks again ({named}), and has given no answer: \
                     name these in the task, raise --token-budget, or try another model"
                );
            }
            self.compiler.messages.say(&format!("the model asks for {named}"));
            self.counts.rounds += 1;
            let given = self.look_up(&asked);
            let message = given_message(&given, MOST_ROUNDS - round - 1);
            let cleaner = self.compiler.cleaner;
            request.messages.push(Message::assistant(cleaner.clean(&need_block(&asked))));
            request.messages.push(Message::user(cleaner.clean(&message)));
        }
        bail!("the model gave no answer: try another with --model")
    }

    /// One question and its reply; an answer is printed as it comes.
    fn turn(&mut self, request: &ChatRequest) -> anyhow::Result<(ChatReply, Reply)> {
        let counter = self.compiler.counter;
        let messages = request.messages.iter().map(|message| counter.count(&message.text));
        self.sent = counter.count(&request.system) + messages.sum::<u32>();
        let limit = request.window.map(|window| room::answer_limit(window, self.sent));
        let request = ChatRequest { answer_limit: limit, ..request.clone() };
        let (mut filter, mut printer) = (Filter::default(), Printer::default());
        let reply = self.model.chat.chat(&request, self.deadline, &mut |piece| {
            printer.print(&filter.push(piece));
            if printer.error.is_some() {
                self.deadline.cancel();
            }
        });
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                printer.print(&filter.rest());
                printer.end()?;
                return Err(explained(error));
            }
        };
        let said = filter.finish();
        if let Reply::Answer(rest) = &said {
            printer.print(rest);
            printer.end()?;
        }
        Ok((reply, said))
    }

    /// Tells what was sent and received; says whether the server did not read all that it was sent.
    fn report(&mut self, reply: &ChatReply) -> bool {
        let messages = self.compiler.messages;
        let received = self.compiler.counter.count(&reply.text);
        let both = |own: Option<u64>, ours: u32| match own {
            Some(own) => format!("{own} tokens ({ours} by our count)"),
            None => format!("about {ours} tokens"),
        };
        messages.say(&format!(
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
                messages.warn("the answer ends where its room does: ask for less, or lower --token-budget")
            }
            Ended::Other(why) => {
                messages.warn(&format!("the answer was ended by the server: {}", printable(why)))
            }
        }
        // Only of Ollama is the window known, and only Ollama cuts without a word.
        let read = reply.sent.filter(|read| self.model.window.is_some() && room::is_cut(*read, self.sent));
        if let Some(read) = read {
            messages.warn(&format!(
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
        self.compiler.messages.say(&format!("{}: {}", printable(name), printable(what)));
    }
}

/// Standard output, piece by piece.
#[derive(Default)]
struct Printer {
    is_begun: bool,
    ends_line: bool,
    error: Option<std::io::Error>,
}

impl Printer {
    /// Prints a piece at once, without what a terminal would obey.
    fn print(&mut self, piece: &str) {
        if piece.is_empty() || self.error.is_some() {
            return;
        }
        let mut stdout = std::io::stdout().lock();
        let printed = stdout.write_all(harmless(piece).as_bytes()).and_then(|()| stdout.flush());
        (self.is_begun, self.ends_line, self.error) = (true, piece.ends_with('\n'), printed.err());
    }

    /// Ends the last line. A closed pipe is an error that `is_closed_pipe` knows.
    fn end(&mut self) -> anyhow::Result<()> {
        if self.is_begun && !self.ends_line {
            self.print("\n");
        }
        match self.error.take() {
            Some(error) => Err(error).context("cannot write to standard output"),
            None => Ok(()),
        }
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
