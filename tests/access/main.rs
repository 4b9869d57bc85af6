//! Who may do what: every call in every role, own and foreign boards, codes, revocation, limits.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed test")]

mod ends;
mod own;
mod table;
mod venue;
