//! Closed lists of words in the API that the model crate stores in another form. Each list has a
//! list with the same values in the model crate.

/// Defines a closed word list, and the conversions from and to the model's list with the same
/// values.
macro_rules! twin_words {
    ($(#[$doc:meta])* $name:ident = $twin:ty { $($(#[$value_doc:meta])* $value:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$value_doc])* $value,)+ }

        impl From<$twin> for $name {
            fn from(twin: $twin) -> Self {
                match twin { $(<$twin>::$value => Self::$value,)+ }
            }
        }

        impl From<$name> for $twin {
            fn from(word: $name) -> Self {
                match word { $($name::$value => Self::$value,)+ }
            }
        }
    };
}

pub(crate) use twin_words;
