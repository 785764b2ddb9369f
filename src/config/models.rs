//! The settings of who answers: where, which model, with which key.

use super::choice::ModelProvider;
use super::name::Name;
use super::secret::{Address, Secret};
use super::settings::{Choice, Setting, word};
use super::typed::{Origin, Value};

/// Small enough for a laptop, and made for code.
pub const DEFAULT_OLLAMA_MODEL: &str = "qwen2.5-coder:7b";

/// Small enough to run beside another model, and taught with code.
pub const DEFAULT_OLLAMA_EMBED_MODEL: &str = "embeddinggemma";

/// The settings of the model that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    pub provider: Setting<ModelProvider>,
    /// The provider's name for it; `None`: of Ollama `ollama_model`, of others there is none.
    pub model: Setting<Option<String>>,
    /// Where a remote provider, or what speaks its format, is; `None`: at its own address.
    pub base_url: Setting<Option<Address>>,
    /// Where Ollama is; `None`: on this machine.
    pub ollama_host: Setting<Option<Address>>,
    pub ollama_model: Setting<String>,
    /// Its model that turns texts into vectors.
    pub ollama_embed_model: Setting<String>,
    keys: [(Name, Setting<Option<Secret>>); 4],
}

impl ModelProvider {
    /// The setting that holds its key.
    pub fn key_setting(self) -> Option<Name> {
        match self {
            ModelProvider::Ollama => None,
            ModelProvider::OpenAi => Some(Name::OpenaiKey),
            ModelProvider::Anthropic => Some(Name::AnthropicKey),
            ModelProvider::Gemini => Some(Name::GeminiKey),
            ModelProvider::Groq => Some(Name::GroqKey),
        }
    }
}

impl ModelSettings {
    pub(super) fn resolve(choice: &mut Choice) -> ModelSettings {
        let keys = [Name::OpenaiKey, Name::AnthropicKey, Name::GeminiKey, Name::GroqKey];
        let address = |value: &Value| text(value).map(|text| Some(Address::new(text)));
        ModelSettings {
            provider: choice.of(Name::Provider, ModelProvider::default(), word),
            model: choice.of(Name::Model, None, |value| text(value).map(Some)),
            base_url: choice.of(Name::BaseUrl, None, address),
            ollama_host: choice.of(Name::OllamaHost, None, address),
            ollama_model: choice.of(Name::OllamaModel, DEFAULT_OLLAMA_MODEL.to_owned(), text),
            ollama_embed_model: choice.of(
                Name::OllamaEmbedModel,
                DEFAULT_OLLAMA_EMBED_MODEL.to_owned(),
                text,
            ),
            keys: keys.map(|name| (name, choice.of(name, None, |value| key(value).map(Some)))),
        }
    }

    /// The provider's key, where one is set.
    pub fn key(&self, provider: ModelProvider) -> Option<&Secret> {
        let name = provider.key_setting()?;
        self.keys.iter().find(|(own, _)| *own == name)?.1.value.as_ref()
    }

    /// All keys that are set, whosever they are.
    pub fn keys(&self) -> impl Iterator<Item = &Secret> {
        self.keys.iter().filter_map(|(_, key)| key.value.as_ref())
    }

    /// Each with its value as TOML and its origin; of keys and passwords only that there is one.
    pub(super) fn list(&self) -> Vec<(Name, Option<String>, &Origin)> {
        let ModelSettings { provider, model, base_url, ollama_host, ollama_model, ollama_embed_model, keys } =
            self;
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        let address = |value: &Option<Address>| value.as_ref().map(|address| quoted(&address.to_string()));
        let mut list = vec![
            (Name::Provider, Some(quoted(provider.value.word())), &provider.origin),
            (Name::Model, model.value.as_deref().map(quoted), &model.origin),
            (Name::BaseUrl, address(&base_url.value), &base_url.origin),
            (Name::OllamaHost, address(&ollama_host.value), &ollama_host.origin),
            (Name::OllamaModel, Some(quoted(&ollama_model.value)), &ollama_model.origin),
            (Name::OllamaEmbedModel, Some(quoted(&ollama_embed_model.value)), &ollama_embed_model.origin),
        ];
        let keys = keys
            .iter()
            .map(|(name, key)| (*name, key.value.as_ref().map(|key| quoted(&key.to_string())), &key.origin));
        list.extend(keys);
        list
    }
}

/// Of one of these settings: whether the value means something.
pub(super) fn check(name: Name, value: &Value) -> Result<(), String> {
    match name {
        Name::Provider => word::<ModelProvider>(value).map(drop),
        _ => text(value).map(drop),
    }
}

fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::Word(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
        _ => Err("expected a text".to_owned()),
    }
}

fn key(value: &Value) -> Result<Secret, String> {
    match value {
        Value::Secret(key) => Ok(key.clone()),
        _ => Err("expected a key".to_owned()),
    }
}
