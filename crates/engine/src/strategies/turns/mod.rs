//! Turns: the messages of an event as strategies read them, unwrapped, split, and with data as
//! lines.

pub mod data_lines;
pub mod turn;
pub mod unwrapped_message;
