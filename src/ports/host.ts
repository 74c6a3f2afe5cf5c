/** The machine on which the daemon runs. */
export interface Host {
  /** Its name in the network. */
  name(): string;
  /** 32 lower-case hex digits: the same at each start on this machine. */
  id(): string;
  /** IPv4 addresses at which other machines may reach it. They change while the daemon runs. */
  addresses(): readonly string[];
}
