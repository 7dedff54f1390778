//! Episodes: the strategy of episodes and of reflections on several episodes, each with its text
//! form and its questions to a model.

pub mod episode_form;
pub mod episodic;
pub mod episodic_model;
pub mod reflection_model;
