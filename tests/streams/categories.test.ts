/** Which projections stop at an event that only a newer program knows. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bookmark } from '../../examples/bookmarks/decide.ts';
import { bookmarks } from '../../examples/bookmarks/projection.ts';
import { categoriesOf, resource } from '../../src/resource.ts';
import { resources } from '../../src/resources.ts';
import { projectionsOf } from '../../src/streams/fold.ts';
import { SOURCES } from '../../src/testing/moves.ts';

it.each(Object.entries(SOURCES))('every stream of %s is of a category that the daemon knows', (_name, source) => {
  const categories = categoriesOf(resources);
  const streams = fc.sample(source.ids, { numRuns: 5 }).map((id) => `${source.decider.category}-${id}`);
  expect(streams.filter((stream) => projectionsOf(stream, categories) === undefined)).toEqual([]);
});

it('a stream of settings that no resource of the daemon has is not one of its own', () => {
  expect(projectionsOf('settings-dreams', categoriesOf(resources))).toBeUndefined();
});

it('a projection stops at unknown events of every category that it folds, also of another resource', () => {
  const titles = { ...bookmarks, name: 'titles', on: { BookmarkAdded: () => undefined, GoalCreated: () => undefined } };
  const categories = categoriesOf([
    ...resources,
    resource({ key: 'bookmark', deciders: [bookmark], projections: [bookmarks, titles] }),
  ]);
  expect(projectionsOf('bookmark-1', categories)).toEqual(new Set(['bookmarks', 'titles']));
  expect(projectionsOf('goal-1', categories)).toEqual(new Set(['goals', 'titles']));
});
