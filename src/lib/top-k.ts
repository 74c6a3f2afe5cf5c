/** Selects the best of many scores with a bounded heap: time for n scores is n log k, memory is k. */

/** The indexes of the `count` highest scores above 0 that are allowed, best first; equal scores in index order. */
export function topK(
  scores: ArrayLike<number>,
  count: number,
  allowed: (index: number) => boolean = () => true,
): number[] {
  if (count < 1) return [];
  const heap: number[] = [];
  const worse = (a: number, b: number): boolean => scores[a]! < scores[b]! || (scores[a]! === scores[b]! && a > b);
  /** The worst score in a full heap. An equal score that comes later has a higher index, so it never enters. */
  let least = 0;
  for (let index = 0; index < scores.length; index += 1) {
    if (scores[index]! <= least || !allowed(index)) continue;
    if (heap.length < count) siftUp(heap, index, worse);
    else siftDown(heap, index, worse);
    if (heap.length === count) least = scores[heap[0]!]!;
  }
  return heap.sort((a, b) => (worse(a, b) ? 1 : -1));
}

type Worse = (a: number, b: number) => boolean;

function siftUp(heap: number[], index: number, worse: Worse): void {
  heap.push(index);
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!worse(heap[at]!, heap[parent]!)) return;
    [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
    at = parent;
  }
}

/** Replaces the worst, at the root. */
function siftDown(heap: number[], index: number, worse: Worse): void {
  heap[0] = index;
  for (let at = 0; ; ) {
    const left = at * 2 + 1;
    const right = left + 1;
    let least = at;
    if (left < heap.length && worse(heap[left]!, heap[least]!)) least = left;
    if (right < heap.length && worse(heap[right]!, heap[least]!)) least = right;
    if (least === at) return;
    [heap[at], heap[least]] = [heap[least]!, heap[at]!];
    at = least;
  }
}
