/** A field for the path of a file of the workspace: a combobox that searches the folder during typing. */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { api, type EngagementsWorkspaceFilesAnswer } from '../../api.ts';
import { count } from '../../format.ts';
import { isComposed } from '../../keys.ts';
import { sentenceOf } from '../../resource.ts';
import { text as words } from '../../text.ts';

const text = words.engagements.evidence;
/** A request is sent once the user has stopped typing. */
const SEARCH_MS = 200;

interface Read {
  /** Null while the daemon searches. */
  readonly answer: EngagementsWorkspaceFilesAnswer | null;
  readonly failure: Error | null;
}

const READING: Read = { answer: null, failure: null };

/** The files of the folder that match the words. Answers for earlier words are never shown. */
function useFiles(id: string, q: string, isOpen: boolean): Read {
  const read = useSignal<Read & { readonly q: string }>({ ...READING, q });
  useEffect(() => {
    if (!isOpen) return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    const timer = setTimeout(() => {
      api.engagements.workspaceFiles(id, { query: { q }, signal }).then(
        (answer) => {
          read.value = { q, answer, failure: null };
        },
        (failure: Error) => {
          if (!signal.aborted) read.value = { q, answer: null, failure };
        },
      );
    }, SEARCH_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, q, isOpen]);
  return read.value.q === q ? read.value : READING;
}

interface FileFieldProps {
  readonly engagementId: string;
  readonly folder: string;
  readonly path: Signal<string>;
}

/** The list of the combobox: whether it is open, which file is selected, and what the keys do. */
function usePicker(id: string, path: Signal<string>) {
  const isOpen = useSignal(false);
  /** -1 is the field itself. */
  const reached = useSignal(-1);
  const read = useFiles(id, path.value.trim(), isOpen.value);
  const files = read.answer?.files ?? [];
  const chosen = isOpen.value ? files[reached.value] : undefined;
  const show = (isShown: boolean): void => {
    isOpen.value = isShown;
    reached.value = -1;
  };
  const take = (file: string): void => {
    path.value = file;
    show(false);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposed(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && !isOpen.value) show(true);
    else if (step !== undefined) reached.value = Math.max(-1, Math.min(files.length - 1, reached.value + step));
    else if (event.key === 'Enter' && chosen !== undefined) take(chosen.path);
    else if (event.key === 'Escape' && isOpen.value) show(false);
    else return;
    event.preventDefault();
  };
  return { isOpen: isOpen.value, reached: reached.value, read, files, chosen, show, take, onKeyDown };
}

export function FileField({ engagementId, folder, path }: FileFieldProps): JSX.Element {
  const id = useId();
  const { isOpen, reached, read, files, chosen, show, take, onKeyDown } = usePicker(engagementId, path);
  return (
    <div class="field">
      <label class="field" for={id}>
        <span>{text.references.file}</span>
      </label>
      <div class="engagement-file">
        <input
          id={id}
          type="text"
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen && `${id}-${reached}`}
          aria-autocomplete="list"
          aria-describedby={`${id}-help`}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          required
          value={path.value}
          onInput={(event) => {
            path.value = event.currentTarget.value;
            show(true);
          }}
          onKeyDown={onKeyDown}
          onBlur={() => show(false)}
        />
        <div class="engagement-picker" hidden={!isOpen}>
          <Options id={id} files={files} reached={reached} take={take} />
          <p class="quiet" role="status">
            {isOpen && saying(read)}
          </p>
        </div>
      </div>
      <small id={`${id}-help`} class="quiet">
        {text.fileHelp(folder)} {text.pickHelp}
      </small>
    </div>
  );
}

function saying({ answer, failure }: Read): string {
  if (failure !== null) return sentenceOf(failure, words);
  if (answer === null) return text.searching;
  const { files, found, truncated } = answer;
  const what = found === 0 ? text.noSuchFile : text.files(files.length, count(found), found);
  return truncated ? `${what} ${text.notAll}` : what;
}

interface OptionsProps {
  readonly id: string;
  readonly files: EngagementsWorkspaceFilesAnswer['files'];
  readonly reached: number;
  take(path: string): void;
}

function Options({ id, files, reached, take }: OptionsProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [reached]);
  return (
    <div ref={list} id={`${id}-list`} role="listbox" aria-label={text.folderFiles}>
      {files.map(({ path }, at) => (
        // biome-ignore lint/a11y: the field has the focus and handles the keys, as a combobox does.
        <div
          key={path}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === reached}
          dir="auto"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => take(path)}
        >
          {path}
        </div>
      ))}
    </div>
  );
}
