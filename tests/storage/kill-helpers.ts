/** What the kill loop's two processes share, and the second one's knowledge of what was acknowledged. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { BackendConfig } from '../../src/storage/backends.ts';
import type { LogHead, RecordedEvent } from '../../src/storage/event-log.ts';
import type { DiskBackend } from '../../src/storage/marker.ts';
import { verifyConsistency } from '../../src/storage/merkle.ts';
import { openStorage, type Storage } from '../../src/storage/open.ts';
