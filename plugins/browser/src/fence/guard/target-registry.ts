/** Chromium's description of a target. */
export interface TargetInfo {
  targetId: string;
  /** `page`, `iframe`, `worker`, `service_worker` and others. */
  type: string;
  url: string;
  title: string;
  openerId?: string;
  [more: string]: unknown;
}

/** The owner of a tab. */
export interface TabOwner {
  agentId: string;
  /** The user's own tab, or a popup of one: it returns to the user when it navigates outside the policy. */
  isLent: boolean;
}

/** The targets of one browser and the agents that have them. */
export class TargetRegistry {
  readonly #infos = new Map<string, TargetInfo>();
  readonly #owners = new Map<string, TabOwner>();
  readonly #documents = new Map<string, string>();

  set(info: TargetInfo): void {
    this.#infos.set(info.targetId, info);
  }

  get(targetId: string): TargetInfo | undefined {
    return this.#infos.get(targetId);
  }

  delete(targetId: string): void {
    this.#infos.delete(targetId);
    this.#owners.delete(targetId);
    this.#documents.delete(targetId);
  }

  ownerOf(targetId: string): TabOwner | undefined {
    return this.#owners.get(targetId);
  }

  setOwner(targetId: string, owner: TabOwner | null): void {
    if (owner) this.#owners.set(targetId, owner);
    else this.#owners.delete(targetId);
  }

  isOwn(targetId: unknown, agentId: string): targetId is string {
    return (
      typeof targetId === "string" &&
      this.#owners.get(targetId)?.agentId === agentId
    );
  }

  /** Tabs of an agent, oldest first. */
  ownTabs(agentId: string): TargetInfo[] {
    return [...this.#infos.values()].filter(
      ({ targetId, type }) => type === "page" && this.isOwn(targetId, agentId),
    );
  }

  /** All tabs that belong to an agent. */
  owned(): [targetId: string, owner: TabOwner][] {
    return [...this.#owners];
  }

  /** The document that a target shows, not the one that it is navigating to. */
  documentOf(targetId: string): string {
    return (
      this.#documents.get(targetId) ?? this.#infos.get(targetId)?.url ?? ""
    );
  }

  setDocument(targetId: string, url: string): void {
    this.#documents.set(targetId, url);
  }

  /** A target as an agent may see it: without references to tabs of others. */
  toVisible(info: TargetInfo, agentId: string): TargetInfo {
    if (info.openerId === undefined || this.isOwn(info.openerId, agentId))
      return info;
    const { openerId: _, openerFrameId: __, ...rest } = info;
    return rest as TargetInfo;
  }
}
