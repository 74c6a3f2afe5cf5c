/** The size of text that the user has set in the browser. */

const USUAL_PX = 16;

/** How much larger it is than usual. Lengths that are computed in pixels grow with it, as those in `rem` do. */
export function scaleOfText(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_PX;
}
