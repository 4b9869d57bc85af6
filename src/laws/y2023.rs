//! For competitions starting on or after 1 January 2023.

use super::{Agreement, Article, Edition, Laws, Offer, Play, Resignation};

pub(super) const STANDARD: Laws = Laws {
    edition: Edition::Y2023,
    play: Play::Standard,
    checkmate: Article::new("5.1.1"),
    stalemate: Article::new("5.2.1"),
    dead_position: Article::new("5.2.2"),
    agreement: Agreement { article: Article::new("5.2.3"), both_have_moved: true },
    resignation: Resignation { article: Article::new("5.1.2"), draws_if_unwinnable: true },
    flag: Article::new("6.9"),
    completed: Article::new("6.2.1"),
    counter: Article::new("6.10.2"),
    offer: Offer { article: Article::new("9.1.2.1"), disturbance: Article::new("11.5") },
    illegal_move: Article::new("7.5.1"),
    press_without_move: Article::new("7.5.3"),
    stopping: Article::new("6.11"),
    defective_clock: Article::new("6.10.1"),
    time_added: Article::new("12.5"),
    start: Article::new("6.6"),
    result: Article::new("8.7"),
    annulled: Article::new("7.2.1"),
    recording: Article::new("8.1"),
    arbiter: Article::new("12.2"),
};

/// Appendix A; what it changes of the articles above are penalties.
pub(super) const RAPID: Laws = Laws { play: Play::Rapid, ..STANDARD };

/// Appendix B.
pub(super) const BLITZ: Laws = Laws { play: Play::Blitz, ..STANDARD };
