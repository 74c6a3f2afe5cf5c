/** Events of the golden log that no request causes within seconds, or on one machine. */
export const APPENDED = [
  // A briefing fails only after it was cut off three times before its facts were gathered.
  { stream: 'briefing-golden', type: 'BriefingRequested', data: requested() },
  { stream: 'briefing-golden', type: 'BriefingStarted', data: { attempt: 3 } },
  { stream: 'briefing-golden', type: 'BriefingFailed', data: { message: 'It was cut off 3 times and is given up.' } },
  // A wrong code is asked for from another machine only.
  { stream: 'pairing-golden', type: 'PairingOffered', data: { peer: '192.0.2.7', expires_at: 1_795_391_344_619 } },
  { stream: 'pairing-golden', type: 'PairingRefused', data: { peer: '192.0.2.7', reason: 'wrong code' } },
  // A text is compacted after a quarter of a megabyte of changes.
  { stream: 'room-whole', type: 'RoomCreated', data: {} },
  {
    stream: 'room_text-whole',
    type: 'RoomTextCompacted',
    data: { state: 'AQEBAAQBCHNyYy9hLnRzDlRoZSB3aG9sZSB0ZXh0AA==' },
  },
  // These engines are programs that are not on every machine.
  {
    stream: 'settings-voice',
    type: 'VoiceEngineSelected',
    data: { engine: 'neural', sidecar: { command: '/opt/piper', args: ['-q'] } },
  },
  { stream: 'settings-voice', type: 'VoiceSelected', data: { voice: 'en_US-lessac' } },
  // A memory fades within weeks.
  { stream: 'memory-faint', type: 'MemoryAdded', data: faint() },
  { stream: 'memory-faint', type: 'MemoryDecayed', data: { effective_salience: 0.04, positions: [] } },
];

function faint() {
  return {
    content: 'Faint',
    tags: [],
    meta: {},
    sealed: null,
    content_key: '0'.repeat(32),
    line_key: '0'.repeat(32),
    sector: 'semantic',
    secondary: [['episodic', 0.5]],
    salience: 0.1,
    decay_lambda: 0.005,
    created_at: 1_795_391_344_619,
    updated_at: 1_795_391_344_619,
    last_seen_at: 1_795_391_344_619,
    version: 1,
    user_id: 'owner',
    project_id: null,
    session_id: null,
    pinned: false,
    from: [],
    waypoints: [],
  };
}

function requested() {
  return {
    scheduled_for: null,
    settings: {
      enabled: false,
      time: '07:00',
      days: ['mon'],
      timezone: null,
      sections: ['runs'],
      writer: 'computed',
      provider: null,
      model: null,
      language: 'en',
      length: 'short',
      workspace: null,
      repositories: [],
      hours: null,
      keep: 9,
    },
  };
}
