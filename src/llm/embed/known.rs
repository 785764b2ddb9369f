//! The models that can be had by their names alone.

/// A model that can be had by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HubModel {
    pub name: &'static str,
    /// On the hub.
    pub repository: &'static str,
    /// What speaks for it, in a few words.
    pub about: &'static str,
    /// SHA-256 of its weights, where it is known without the hub.
    pub(super) weights: Option<&'static str>,
}

/// Encoders that run well on a processor, the smallest first.
pub const KNOWN: [HubModel; 7] = [
    HubModel {
        name: "all-MiniLM-L6-v2",
        repository: "sentence-transformers/all-MiniLM-L6-v2",
        about: "91 MB, English, the fastest",
        weights: Some("53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
    },
    HubModel {
        name: "snowflake-arctic-embed-xs",
        repository: "Snowflake/snowflake-arctic-embed-xs",
        about: "90 MB, English, as fast, made for search",
        weights: None,
    },
    HubModel {
        name: "bge-small-en-v1.5",
        repository: "BAAI/bge-small-en-v1.5",
        about: "133 MB, English, half as fast",
        weights: None,
    },
    HubModel {
        name: "e5-small-v2",
        repository: "intfloat/e5-small-v2",
        about: "133 MB, English, half as fast",
        weights: None,
    },
    HubModel {
        name: "snowflake-arctic-embed-s",
        repository: "Snowflake/snowflake-arctic-embed-s",
        about: "133 MB, English, half as fast, made for search",
        weights: None,
    },
    HubModel {
        name: "bge-base-en-v1.5",
        repository: "BAAI/bge-base-en-v1.5",
        about: "438 MB, English, an eighth as fast",
        weights: None,
    },
    HubModel {
        name: "multilingual-e5-small",
        repository: "intfloat/multilingual-e5-small",
        about: "471 MB, a hundred languages, half as fast",
        weights: None,
    },
];

impl HubModel {
    /// The model of this name that is known here.
    pub fn find(name: &str) -> Option<HubModel> {
        KNOWN.into_iter().find(|known| known.name.eq_ignore_ascii_case(name))
    }
}
