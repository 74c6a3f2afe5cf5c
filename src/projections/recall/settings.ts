/** The weights of the ranking, tuned on one half of the conversations of docs/recall.md. */
export const SETTINGS = {
  /** BM25 over whole texts. */
  k1: 0.6,
  b: 0.5,
  /** BM25's `b` within blocks. */
  blockB: 0.3,
  /** Share of its weight that a name has as a word when the texts hold a speaker of that name. */
  nameWeight: 0.4,
  /** Share of a concept that the question names ("pet"), and of one that it gives an example of ("dog"). */
  namedConcept: 0.8,
  relatedConcept: 0.2,
  /** Bonus of a block whose speaker the question names, and of the user's blocks when it contains "my". */
  speaker: 0.5,
  role: 3,
  /** Share of that bonus for a whole text in which the speaker speaks. */
  wholeSpeaker: 1,
  /** Share of its weight that a stop word has. */
  stopWeight: 0.2,
  /** Share of a block's score that its neighbours get, at distance one and two, on both sides. */
  near: [0.45, 0.2],
  /** How many of a text's best blocks count, and each one's share relative to the one before. */
  bestBlocks: 3,
  blockDecay: 0.4,
  /** Share of the blocks in the lexical score; the whole text has the rest. */
  blockShare: 0.65,
  /** Weight of the cosine, added to the lexical score. */
  vector: 0.2,
  /**
   * Weight of relevance feedback, how many best hits it uses, and the power of their relative score that weighs them.
   */
  feedback: 0.12,
  best: 6,
  bestPower: 3,
};

export type Settings = typeof SETTINGS;
