/** `VERIFY.md` of a bundle. */
import { webFile } from '../html.ts';

export function guideText(): string {
  return webFile('evidence/VERIFY.md');
}
