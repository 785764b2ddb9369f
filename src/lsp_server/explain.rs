//! `dossier/explain`, `dossier/edit`, `dossier/context`: what a model would be given, and why; changed by hand; as text.

use std::sync::Arc;

use lsp_types::{Position, Range};
use serde_json::{Value, json};

use super::folders::{Folder, Present};
use super::requests::{Ask, Edit, Mark, Pack, PackDropped, PackFile, View, ViewDropped, ViewFile};
use super::trouble::{Kind, Trouble};
use super::work::{Work, server_json};
use crate::client::Task;
use crate::config::{Format, Name, Value as Setting};
use crate::render::plan_in_words;
use crate::rpc::lock;
use crate::session::protocol::{Context, Dossier, ExplainWish, Task as Asked};

impl Work {
    pub fn explain(self: &Arc<Self>, ask: &Ask) -> Result<Value, Trouble> {
        let folder = self.folder(ask.folder.as_deref(), ask.document())?;
        let progress =
            Arc::new(self.server.editor.progress(ask.work_done_token.clone(), "Choosing the code"));
        let query = self.query(ask, &folder)?;
        let task = self.task(&folder, query.clone(), &self.configuration());
        let present = {
            let mut present = lock(&folder.present);
            present.task = Some(query);
            present.clone()
        };
        let _stages = self.stages(&progress, &task);
        if let Some(token) = ask.partial_result_token.as_ref().filter(|_| task.settings.wait_lsp.value > 0) {
            let at_once = self.view(&folder, &task, &present, true)?;
            let value = json!({ "token": token, "value": { "view": at_once } });
            self.server.editor.deliver("$/progress", value);
        }
        self.view(&folder, &task, &present, false)
    }

    /// Without a task what was changed is kept for the first one, and told.
    pub fn edit(self: &Arc<Self>, edit: &Edit) -> Result<Value, Trouble> {
        let folder = self.folder(edit.folder.as_deref(), None)?;
        let present = {
            let mut present = lock(&folder.present);
            change(&mut present, edit);
            present.clone()
        };
        let Some(query) = present.task.clone() else {
            let Present { pinned, excluded, levels, .. } = present;
            return Ok(json!({ "pinned": pinned, "excluded": excluded, "levels": levels }));
        };
        let task = self.task(&folder, query, &self.configuration());
        self.view(&folder, &task, &present, false)
    }

    /// `dossier.pin` and `dossier.exclude`.
    pub fn mark(self: &Arc<Self>, mark: &Mark, is_pin: bool) -> Result<Value, Trouble> {
        if mark.name.trim().is_empty() {
            return Err(Trouble::new(Kind::Params, "give the `name` of a file or an item"));
        }
        let names = vec![mark.name.trim().to_owned()];
        let edit = Edit { folder: mark.folder.clone(), ..Edit::default() };
        self.edit(&match (is_pin, mark.undo) {
            (true, false) => Edit { pin: names, ..edit },
            (true, true) => Edit { unpin: names, ..edit },
            (false, false) => Edit { exclude: names, ..edit },
            (false, true) => Edit { include: names, ..edit },
        })
    }

    /// The dossier as text.
    pub fn context(self: &Arc<Self>, ask: &Ask) -> Result<Value, Trouble> {
        let folder = self.folder(ask.folder.as_deref(), ask.document())?;
        let progress =
            Arc::new(self.server.editor.progress(ask.work_done_token.clone(), "Choosing the code"));
        let query = self.query(ask, &folder)?;
        let mut configuration = self.configuration();
        if let Some(format) = ask.format {
            let word = serde_json::to_value(format).ok().and_then(|word| Some(word.as_str()?.to_owned()));
            let value = Setting::Word(word.unwrap_or_default());
            configuration = configuration.with("format", Name::Format, value);
        }
        let task = self.task(&folder, query, &configuration);
        let present = lock(&folder.present).clone();
        let _stages = self.stages(&progress, &task);
        let dossier = self.dossier(&self.asked(&task, &present, &folder), &task)?;
        if dossier.files.is_empty() {
            return Err(nothing_found(&task));
        }
        self.changed(&folder, &dossier);
        Ok(json!({
            "text": dossier.text,
            "format": task.settings.format.value,
            "tokens": dossier.budget.used,
            "limit": dossier.budget.limit,
            "files": dossier.files,
            "notes": dossier.notes,
        }))
    }

    fn dossier(&self, asked: &Asked, task: &Task) -> Result<Dossier, Trouble> {
        self.ask::<Context>(task, asked)
    }

    /// `at_once`: without waiting for a language server.
    fn view(
        self: &Arc<Self>,
        folder: &Arc<Folder>,
        task: &Task,
        present: &Present,
        at_once: bool,
    ) -> Result<Value, Trouble> {
        let mut asked = self.asked(task, present, folder);
        asked.format = Format::Json;
        asked.explain = Some(ExplainWish::default());
        if at_once {
            asked.lsp.wait_ms = 0;
        }
        let dossier = self.dossier(&asked, task)?;
        let garbled =
            |error: serde_json::Error| Trouble::new(Kind::Other, format!("the pack is no JSON: {error}"));
        let pack: Pack = serde_json::from_str(&dossier.text).map_err(garbled)?;
        let Pack { query, intent, plan, confidence, files, dropped, budget } = pack;
        let is_daemon = self.server.link.is_daemon();
        let view = View {
            task: query,
            folder: folder.uri.clone(),
            root: folder.root.display().to_string(),
            plan: in_words(&intent, plan),
            confidence,
            files: files.into_iter().map(|file| view_file(file, folder, present)).collect(),
            dropped: dropped.into_iter().map(|file| view_dropped(file, folder)).collect(),
            budget,
            pinned: present.pinned.clone(),
            excluded: present.excluded.iter().cloned().collect(),
            levels: present.levels.clone(),
            refused: dossier.refused.clone(),
            explanation: dossier.explanation.clone().unwrap_or_default(),
            language_server: server_json(&dossier.language_server, is_daemon),
            freshness: serde_json::to_value(&dossier.freshness).unwrap_or_default(),
            notes: dossier.notes.clone(),
        };
        self.changed(folder, &dossier);
        serde_json::to_value(view).map_err(garbled)
    }

    /// Tells the editor how it stands, for its status bar.
    fn changed(&self, folder: &Folder, dossier: &Dossier) {
        let server = server_json(&dossier.language_server, self.server.link.is_daemon());
        self.server.tell_changed(folder, None, dossier.freshness.index_age_ms, server);
    }
}

pub(super) fn nothing_found(task: &Task) -> Trouble {
    Trouble::new(
        Kind::NothingFound,
        format!(
            "nothing relevant found in {}: name a type, a function or a path of this workspace",
            task.root.display()
        ),
    )
}

fn change(present: &mut Present, edit: &Edit) {
    if edit.reset {
        *present = Present { task: present.task.take(), ..Present::default() };
    }
    present.pinned.retain(|name| !edit.unpin.contains(name));
    for name in &edit.pin {
        present.excluded.remove(name);
        if !present.pinned.contains(name) {
            present.pinned.push(name.clone());
        }
    }
    for path in &edit.exclude {
        present.pinned.retain(|name| name != path);
        present.levels.remove(path);
        present.excluded.insert(path.clone());
    }
    edit.include.iter().for_each(|path| _ = present.excluded.remove(path));
    for (path, level) in &edit.levels {
        match level {
            Some(level) => _ = present.levels.insert(path.clone(), *level),
            None => _ = present.levels.remove(path),
        }
    }
    if let Some(budget) = edit.budget {
        present.budget = budget.filter(|tokens| *tokens > 0);
    }
}

fn in_words(intent: &Value, plan: Value) -> Vec<String> {
    let action = intent["action"].as_str().unwrap_or_default();
    let mut words = vec![format!("a task to {action}")];
    if let Ok(plan) = serde_json::from_value(plan) {
        words.extend(plan_in_words(&plan));
    }
    words
}

fn view_file(file: PackFile, folder: &Folder, present: &Present) -> ViewFile {
    let PackFile { path, rank, level, tokens, ranges, reasons } = file;
    let range = |[first, last]: &[u32; 2]| Range {
        start: Position { line: first.saturating_sub(1), character: 0 },
        end: Position { line: *last, character: 0 },
    };
    let is_by_hand = reasons.iter().any(|reason| reason.detail == "added by hand");
    ViewFile {
        uri: folder.uri_of(&path),
        rank,
        level,
        tokens,
        ranges: ranges.iter().map(range).collect(),
        reasons,
        pinned: is_by_hand || present.pinned.contains(&path),
        path,
    }
}

fn view_dropped(file: PackDropped, folder: &Folder) -> ViewDropped {
    let PackDropped { path, rank, score, why } = file;
    ViewDropped { uri: folder.uri_of(&path), path, rank, score, why }
}
