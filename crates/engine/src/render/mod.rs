//! Rendering what is remembered for a model to read: a fence around data, a budget in tokens, a receipt of what was left
//! out. Still empty: nothing renders.
