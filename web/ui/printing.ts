/** Whether the page is printed or saved as PDF now: what is made when it is opened is made for paper, too. */
import { signal } from '@preact/signals';

export const isPrinting = signal(false);

addEventListener('beforeprint', () => {
  isPrinting.value = true;
});
addEventListener('afterprint', () => {
  isPrinting.value = false;
});
