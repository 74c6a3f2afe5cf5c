/**
 * Whether the page is being printed or saved as PDF: content that is rendered when it is opened is then rendered, too.
 */
import { signal } from '@preact/signals';

export const isPrinting = signal(false);

addEventListener('beforeprint', () => {
  isPrinting.value = true;
});
addEventListener('afterprint', () => {
  isPrinting.value = false;
});
