/** The output of a job in the console, on the little of a page that it touches. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

interface Line {
  className: string;
  textContent: string;
  remove(): void;
}

interface OutputView {
  show(event: object): boolean;
}

const { outputView } = (await import(new URL('../../web/view.js', import.meta.url).href)) as {
  outputView(root: object): OutputView;
};

/** An element 100 high whose lines are 10 high each. */
class Root {
  readonly lines: Line[] = [];
  readonly clientHeight = 100;
  scrollTop = 0;
  layouts = 0;
  get scrollHeight(): number {
    this.layouts += 1;
    return Math.max(this.clientHeight, this.lines.length * 10);
  }
  get childElementCount(): number {
    return this.lines.length;
  }
  get firstElementChild(): Line | undefined {
    return this.lines[0];
  }
  append(line: Line): void {
    line.remove = () => void this.lines.splice(this.lines.indexOf(line), 1);
    this.lines.push(line);
  }
}

const step = (step_num: number): object => ({ type: 'step', step_num, tool_name: 'read_file', success: true });

let root: Root;
let view: OutputView;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { createElement: () => ({}) });
  root = new Root();
  view = outputView(root);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function arrive(from: number, to: number): void {
  for (let at = from; at < to; at += 1) view.show(step(at));
}

describe('the output of a job', () => {
  // Each line once asked for the height of all: a history of 5 000 steps held the page for 22 seconds.
  it('lays the page out once for all that arrives together', () => {
    arrive(0, 5_000);
    vi.runAllTimers();
    expect([root.layouts, root.lines.length]).toEqual([2, 2_000]);
    expect(root.lines.at(-1)!.textContent).toBe('#4999 read_file — ok');
  });

  it('follows its end as long as it is looked at', () => {
    arrive(0, 20);
    vi.runAllTimers();
    expect(root.scrollTop).toBe(200);
    root.scrollTop = 30;
    arrive(20, 40);
    vi.runAllTimers();
    expect(root.scrollTop).toBe(30);
    root.scrollTop = 300;
    arrive(40, 41);
    vi.runAllTimers();
    expect(root.scrollTop).toBe(410);
  });
});
