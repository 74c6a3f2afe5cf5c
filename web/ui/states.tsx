/** What a part of a page shows if there is no data, no data yet, or a failure. */
import type { ComponentChildren, JSX } from 'preact';
import { clock } from '../format.ts';
import { type Resource, sentenceOf, useResource } from '../resource.ts';
import { text } from '../text.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface EmptyProps {
  readonly title: string;
  readonly help?: string;
  /** What to do first. */
  readonly children?: ComponentChildren;
}

export function Empty({ title, help, children }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {help !== undefined && <p>{help}</p>}
      {children}
    </div>
  );
}

export function Failure({ error, retry }: { readonly error: Error; retry?(): unknown }): JSX.Element {
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <p dir="auto">{sentenceOf(error, text)}</p>
      {retry && <Button onClick={() => void retry()}>{text.retry}</Button>}
    </div>
  );
}

export function Skeleton({ lines = 3 }: { readonly lines?: number }): JSX.Element {
  return (
    <div class="skeleton" role="status" aria-label={text.loading}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

interface LoadedProps<Value> {
  readonly of: Resource<Value>;
  readonly lines?: number;
  /** Shown until the first value is loaded: the value of the previous request. */
  readonly meanwhile?: Value | undefined;
  readonly children: (value: Value) => ComponentChildren;
}

const readAt = new WeakMap<object, number>();

/** The value of a resource, kept up to date; a skeleton before it is loaded, the failure if loading fails. */
export function Loaded<Value>({ of, lines, meanwhile, children }: LoadedProps<Value>): JSX.Element {
  useResource(of);
  const value = of.value.value ?? (of.error.value === null ? meanwhile : undefined);
  const error = of.error.value;
  if (value === undefined) {
    return error === null ? <Skeleton lines={lines ?? 3} /> : <Failure error={error} retry={() => of.refresh()} />;
  }
  if (error === null) readAt.set(of, Date.now());
  return (
    <>
      {error !== null && (
        <p class="stale" role="status">
          <Icon name="warning" /> {text.stale(clock(readAt.get(of) ?? Date.now()))} {sentenceOf(error, text)}
        </p>
      )}
      {children(value)}
    </>
  );
}
