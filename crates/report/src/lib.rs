//! Terminal tables and plots from records alone.
