//! Plans, spawns workers, journals, resumes.
