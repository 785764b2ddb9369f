//! `dossier/prompt`: the dossier goes to a model, and its answer comes as it is written; or exactly what would go.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use super::configuration::Configuration;
use super::editor::{Editor, Teller};
use super::explain::nothing_found;
use super::folders::{Folder, Present};
use super::requests::Ask;
use super::trouble::{Kind, Trouble};
use super::work::Work;
use crate::client::{Asker, Cleaner, Compiler, Dossier, Kept, Model, Sink, Source, Talk, Task, Tell};
use crate::config::{Format, Origin};
use crate::llm::ChatRequest;
use crate::plan::Offer;
use crate::prompt::room;
use crate::render::harmless;
use crate::rpc::lock;
use crate::session::protocol::{
    self, Candidates, Context, Lookup, LookupAnswer, LookupParams, Task as Asked,
};
use crate::store::Answered;
use crate::text;

/// A model that plans may take so long where the settings do not say: the answer takes longer.
const PLANNING: Duration = Duration::from_secs(20);

impl Work {
    pub fn prompt(self: &Arc<Self>, ask: &Ask) -> Result<Value, Trouble> {
        let folder = self.folder(ask.folder.as_deref(), ask.document())?;
        let progress = Arc::new(self.server.editor.progress(ask.work_done_token.clone(), "Asking the model"));
        let query = self.query(ask, &folder)?;
        let configuration = self.configuration();
        let mut task = self.task(&folder, query.clone(), &configuration);
        if task.settings.format.value == Format::Json {
            task.settings.format.value = Format::Markdown;
        }
        {
            let mut present = lock(&folder.present);
            present.task = Some(query);
            let budget = &mut task.settings.budget;
            if let Some(tokens) = present.budget {
                budget.value = tokens;
                budget.origin = Origin::Flag("the budget set by hand");
            }
            // What a view shows is what is sent: what is kept for a model's requests comes on top.
            budget.value = room::around_dossier(budget.value);
        }
        let teller = Teller::new(&progress, ask.partial_result_token.clone().filter(|_| !ask.preview));
        let answer = self.talk(&folder, &task, ask, &teller, &configuration);
        let mut answer = match answer {
            _ if self.cancel.is_cancelled() => return Err(Trouble::cancelled()),
            Ok(answer) => answer,
            Err(error) => return Err(Trouble::of(&error)),
        };
        answer["notes"] = Value::Array(std::mem::take(&mut *lock(&teller.notes)));
        Ok(answer)
    }

    fn talk(
        self: &Arc<Self>,
        folder: &Arc<Folder>,
        task: &Task,
        ask: &Ask,
        teller: &Teller<'_>,
        configuration: &Configuration,
    ) -> anyhow::Result<Value> {
        let (allows_remote, timeout) = (configuration.allows_remote, configuration.timeout);
        let (name, is_remote) = Model::named(&task.settings.models)?;
        let is_allowed = !is_remote || allows_remote;
        if !is_allowed && !ask.preview {
            anyhow::bail!(Trouble::new(
                Kind::RemoteNotAllowed,
                format!(
                    "{name} is not on this machine: the setting `dossier.model.allowRemote` lets code be sent there"
                ),
            ));
        }
        let model = is_allowed.then(|| Model::choose(&task.settings.models, ask.preview, teller));
        let model = match model {
            Some(Err(error)) if ask.preview => {
                teller.warn(&format!("{error:#}"));
                None
            }
            other => other.transpose()?,
        };
        let window = model.as_ref().and_then(|model| model.window);
        let present = lock(&folder.present).clone();
        let cleaner = Cleaner::new(&task.settings);
        let source = Linked { work: self, folder, task };
        let asker = Asker::new(task, PLANNING, Box::new(source), teller);
        let mut compiler = Compiler::new(task, &asker, &cleaner, teller, window);
        compiler.edit(&present.excluded, &present.pinned, &present.levels);
        let dossier = match &ask.previewed {
            Some(id) => looked_at(&present, id)?,
            None => Arc::new(compiler.fitting()?),
        };
        for note in &dossier.answer.notes {
            teller.notes.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(json!(note));
        }
        if dossier.answer.files.is_empty() {
            anyhow::bail!(nothing_found(task));
        }
        let files: Vec<Value> = (dossier.answer.files.iter())
            .map(|file| json!({ "uri": folder.uri_of(&file.path), "path": file.path, "level": file.level, "tokens": file.tokens }))
            .collect();
        let request = compiler.conversation(&dossier)?;
        let Some(model) = model.filter(|_| !ask.preview) else {
            let mut preview = preview(&request, dossier.prompt_tokens, files);
            let id =
                format!("{}-{}", std::process::id(), self.server.previews.fetch_add(1, Ordering::Relaxed));
            preview["id"] = json!(id);
            lock(&folder.present).previewed = Some((id, Arc::clone(&dossier)));
            preview["model"] = json!(name);
            preview["isRemote"] = json!(is_remote);
            preview["isAllowed"] = json!(is_allowed);
            return Ok(preview);
        };
        let kept = Kept::open(&task.root, teller);
        let id = kept.given(task, &dossier.answer, model.chat.name());
        let deadline = self.cancel.within(Duration::from_secs(timeout));
        teller.progress.stage(&format!("{} reads {} tokens", model.chat.name(), dossier.prompt_tokens));
        let mut stream = Stream {
            editor: &self.server.editor,
            token: ask.partial_result_token.clone(),
            answer: String::new(),
        };
        let mut talk = Talk::new(&model, &compiler, &dossier, &deadline);
        let outcome = talk.run(request, &mut stream);
        let counts = talk.counts();
        kept.answered(Answered { dossier: id, is_complete: outcome.is_ok(), ..counts.clone() });
        let is_complete = outcome?;
        Ok(json!({
            "model": model.chat.name(),
            "answer": stream.answer,
            "isComplete": is_complete,
            "sent": counts.sent,
            "received": counts.received,
            "tookMs": counts.took_ms,
            "files": files,
        }))
    }
}

/// What a person looked at, and wants sent.
fn looked_at(present: &Present, id: &str) -> anyhow::Result<Arc<Dossier>> {
    let known = present.previewed.as_ref().filter(|(known, _)| known == id);
    known.map(|(_, dossier)| Arc::clone(dossier)).ok_or_else(|| {
        Trouble::new(Kind::Other, "what was looked at is not kept any more: look at it again").into()
    })
}

/// Exactly what would be sent.
fn preview(request: &ChatRequest, tokens: u32, files: Vec<Value>) -> Value {
    let messages: Vec<&str> = request.messages.iter().map(|message| message.text.as_str()).collect();
    let masked: usize = messages.iter().map(|message| message.matches(text::MASK).count()).sum();
    json!({
        "system": request.system,
        "messages": messages,
        "tokens": tokens,
        "masked": masked,
        "files": files,
    })
}

/// The session as one task asks it.
struct Linked<'a> {
    work: &'a Arc<Work>,
    folder: &'a Folder,
    task: &'a Task,
}

impl Linked<'_> {
    fn with_server(&self, asked: &Asked) -> Asked {
        let mut asked = asked.clone();
        asked.lsp = self.work.lsp(asked.lsp, self.folder);
        asked
    }
}

impl Source for Linked<'_> {
    fn candidates(&self, asked: &Asked) -> anyhow::Result<Offer> {
        Ok(self.work.ask::<Candidates>(self.task, &self.with_server(asked))?)
    }

    fn context(&self, asked: &Asked) -> anyhow::Result<protocol::Dossier> {
        Ok(self.work.ask::<Context>(self.task, &self.with_server(asked))?)
    }

    fn lookup(&self, params: &LookupParams) -> anyhow::Result<LookupAnswer> {
        Ok(self.work.ask::<Lookup>(self.task, params)?)
    }
}

/// The answer on its way to the editor.
struct Stream<'a> {
    editor: &'a Editor,
    token: Option<Value>,
    answer: String,
}

impl Sink for Stream<'_> {
    fn piece(&mut self, text: &str) -> bool {
        if text.is_empty() {
            return true;
        }
        let text = harmless(text);
        self.answer.push_str(&text);
        self.token.as_ref().is_none_or(|token| {
            self.editor.deliver("$/progress", json!({ "token": token, "value": { "text": text } }))
        })
    }

    fn end(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}
