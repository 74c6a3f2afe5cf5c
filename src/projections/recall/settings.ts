/** Every number that ranking turns on. Chosen on one half of the conversations of `docs/recall.md`. */
export const SETTINGS = {
  /** BM25. */
  k1: 0.6,
  b: 0.5,
  /** Length normalisation among blocks. */
  blockB: 0.3,
  /** What a name counts for as a word when the named one also speaks: mostly it says who, not what. */
  nameWeight: 0.4,
  /** What a concept counts for that the question names ("pet"), and one that it has an example of ("dog"). */
  namedConcept: 0.8,
  kindredConcept: 0.2,
  /** How much more a block counts that the named one speaks, and one of the user's when asked about "my". */
  speaker: 0.5,
  asker: 3,
  /** The part of that bonus that a whole text has that they speak in. */
  wholeSpeaker: 1,
  /** What a word that says nothing counts for. */
  stopWeight: 0.2,
  /** What a block lends to the next one and to the one after, on both sides. */
  near: [0.45, 0.2],
  /** How many of a text's best blocks count, and how much less each than the one before. */
  bestBlocks: 3,
  blockDecay: 0.4,
  /** The share of the blocks in the lexical score; the whole text has the rest. */
  blockShare: 0.65,
  /** What the vectors add to the lexical score. */
  vector: 0.2,
  /** What it adds to be like the best ones, how many those are, and how much less those count that score less. */
  likeness: 0.12,
  best: 6,
  bestPower: 3,
};

export type Settings = typeof SETTINGS;
