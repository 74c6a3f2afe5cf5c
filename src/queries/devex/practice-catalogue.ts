/**
 * The practices that the scan detects, each by three signals. A signal is found when one of its paths exists; a path
 * shows that something exists, not that it is good.
 */

export interface PracticeSpec {
  readonly key: string;
  readonly title: string;
  readonly pillar: string;
  readonly signals: readonly (readonly [name: string, candidates: readonly string[]])[];
  readonly nextStep: string;
  /** How the practice may exist without one of these paths. */
  readonly caveat?: string;
}

const PROGRAM = 'Global Practices Program';
const PLATFORM = "Strategic Developers' Platform Ownership";
const LEADERSHIP = 'Engineering Leadership';

const BUILD_FILES = ['Makefile', 'justfile', 'Taskfile.yml'];

export const PRACTICES: readonly PracticeSpec[] = [
  {
    key: 'ci-pipeline',
    title: 'Continuous integration',
    pillar: PROGRAM,
    signals: [
      [
        'pipeline definition',
        [
          ...['.github/workflows', '.gitlab-ci.yml', 'azure-pipelines.yml', 'Jenkinsfile', '.circleci/config.yml'],
          ...['buildkite.yml', '.buildkite'],
        ],
      ],
      [
        'build entry point',
        [...BUILD_FILES, 'build.gradle', 'build.gradle.kts', 'pom.xml', 'package.json', 'Cargo.toml'],
      ],
      [
        'dependency lockfile',
        [
          ...['Cargo.lock', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'poetry.lock', 'uv.lock', 'go.sum'],
          ...['Gemfile.lock', 'gradle.lockfile'],
        ],
      ],
    ],
    nextStep: 'Run the build and its checks for every change before it is merged, from a definition in the repository.',
  },
  {
    key: 'automated-testing',
    title: 'Automated testing',
    pillar: PROGRAM,
    signals: [
      ['test directory', ['tests', 'test', 'spec', '__tests__', 'src/test']],
      [
        'coverage configuration',
        [
          ...['codecov.yml', '.codecov.yml', 'tarpaulin.toml', 'jest.config.js', 'jest.config.ts', 'vitest.config.ts'],
          ...['.coveragerc', 'pytest.ini'],
        ],
      ],
      ['test command documented', ['CONTRIBUTING.md', ...BUILD_FILES]],
    ],
    nextStep: 'Write down the one command that runs every test, and let nothing be merged that it refuses.',
    caveat:
      'Only paths are looked at. Tests that live beside the code (Rust modules, Go _test.go, Python test_*.py) have ' +
      'no directory of their own, so a missing test directory does not mean missing tests.',
  },
  {
    key: 'code-review',
    title: 'Code review and ownership',
    pillar: PROGRAM,
    signals: [
      ['ownership map', ['CODEOWNERS', '.github/CODEOWNERS', 'docs/CODEOWNERS']],
      [
        'pull request template',
        [
          ...['.github/pull_request_template.md', '.github/PULL_REQUEST_TEMPLATE.md', '.github/PULL_REQUEST_TEMPLATE'],
          '.gitlab/merge_request_templates',
        ],
      ],
      ['contribution guide', ['CONTRIBUTING.md', 'docs/CONTRIBUTING.md', '.github/CONTRIBUTING.md']],
    ],
    nextStep: 'Name an owner for every part of the code, so that each change has somebody who must look at it.',
  },
  {
    key: 'security-scanning',
    title: 'Security in the pipeline',
    pillar: PROGRAM,
    signals: [
      ['dependency scanning', ['.github/dependabot.yml', 'renovate.json', '.renovaterc', 'deny.toml', '.snyk']],
      ['secret hygiene', ['.gitleaks.toml', '.secrets.baseline', '.pre-commit-config.yaml', '.gitignore']],
      ['security policy', ['SECURITY.md', '.github/SECURITY.md', 'docs/security.md', 'docs/threat-model.md']],
    ],
    nextStep: 'Let the pipeline look for vulnerable dependencies and for committed secrets; people forget to.',
  },
  {
    key: 'observability',
    title: 'Observability',
    pillar: PLATFORM,
    signals: [
      [
        'telemetry configuration',
        [
          ...['otel-collector.yaml', 'otel-config.yaml', 'opentelemetry.yaml', 'prometheus.yml', 'grafana'],
          ...['datadog.yaml', 'newrelic.yml'],
        ],
      ],
      ['dashboards or alerts as code', ['dashboards', 'alerts', 'monitoring', 'deploy/monitoring', 'infra/monitoring']],
      ['runbook', ['RUNBOOK.md', 'docs/runbook.md', 'docs/runbooks', 'docs/oncall.md']],
    ],
    nextStep: 'Keep dashboards, alerts and the runbook of each alert in the repository, where they are reviewed.',
  },
  {
    key: 'infrastructure-as-code',
    title: 'Infrastructure as code',
    pillar: PLATFORM,
    signals: [
      [
        'declarative infrastructure',
        ['terraform', 'infra', 'deploy', 'pulumi', 'cdk', 'helm', 'charts', 'kustomization.yaml'],
      ],
      ['container definition', ['Dockerfile', 'docker-compose.yml', 'compose.yaml', 'Containerfile']],
      ['environment definition', ['.env.example', 'env.example', 'config/environments', 'deploy/environments']],
    ],
    nextStep: 'Describe the environments in files, so that a new one is a reviewed change and not a favour.',
  },
  {
    key: 'release-management',
    title: 'Release management',
    pillar: PLATFORM,
    signals: [
      ['changelog', ['CHANGELOG.md', 'docs/CHANGELOG.md', 'RELEASES.md']],
      ['release process documented', ['RELEASE.md', 'docs/release.md', 'docs/releasing.md']],
      [
        'release automation',
        [
          ...['.github/workflows/release.yml', '.github/workflows/publish.yml', '.goreleaser.yml'],
          'release-please-config.json',
        ],
      ],
    ],
    nextStep: 'Let a pipeline make the release, so that how often it happens does not depend on who has time.',
  },
  {
    key: 'onboarding',
    title: 'Developer onboarding',
    pillar: PLATFORM,
    signals: [
      [
        'one-command bootstrap',
        ['scripts/bootstrap.sh', 'scripts/setup.sh', 'bootstrap.sh', 'setup.sh', ...BUILD_FILES],
      ],
      [
        'reproducible environment',
        [
          ...['.devcontainer', 'flake.nix', 'shell.nix', '.tool-versions', '.mise.toml', 'asdf', '.nvmrc'],
          'rust-toolchain.toml',
        ],
      ],
      ['getting-started guide', ['README.md', 'docs/quickstart.md', 'docs/getting-started.md', 'CONTRIBUTING.md']],
    ],
    nextStep: 'Make the way from a fresh clone to a running build one command, and try it on a clean machine.',
  },
  {
    key: 'architecture-decisions',
    title: 'Architecture decisions',
    pillar: LEADERSHIP,
    signals: [
      ['ADR directory', ['docs/adr', 'docs/decisions', 'adr', 'architecture/decisions', 'docs/architecture/decisions']],
      ['architecture documentation', ['docs/architecture.md', 'ARCHITECTURE.md', 'docs/architecture']],
      ['agent or contributor guide', ['AGENTS.md', 'CLAUDE.md', 'docs/engineering-standards.md', 'docs/standards.md']],
    ],
    nextStep: 'Write down each decision that someone will question, with what was rejected and why.',
  },
  {
    key: 'golden-path',
    title: 'Golden path and templates',
    pillar: PLATFORM,
    signals: [
      [
        'service template or scaffolder',
        ['templates', 'cookiecutter.json', 'copier.yml', 'scaffold', '.github/ISSUE_TEMPLATE'],
      ],
      ['service catalog entry', ['catalog-info.yaml', 'backstage.yaml', 'service.yaml', 'port.yml']],
      [
        'editor and lint conventions',
        [
          ...['.editorconfig', '.eslintrc.json', 'eslint.config.js', 'rustfmt.toml', '.rustfmt.toml', 'ruff.toml'],
          ...['.prettierrc', 'clippy.toml'],
        ],
      ],
    ],
    nextStep:
      'Offer a template that comes with the pipeline, tests and telemetry, so that the right way is the short one.',
    caveat:
      'Only the top of the directory is looked at. Where several packages share a repository, each usually has its ' +
      'own editor and lint settings one level down.',
  },
];

export const ONBOARDING = 'onboarding';

/** Every path of every signal, each once. */
export const CANDIDATES: readonly string[] = [
  ...new Set(PRACTICES.flatMap(({ signals }) => signals.flatMap(([, candidates]) => candidates))),
];
