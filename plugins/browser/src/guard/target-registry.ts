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

/** The targets of one browser, the agents that own them, and what they show. */
export class TargetRegistry {
  readonly #infos = new Map<string, TargetInfo>();
  readonly #owners = new Map<string, string>();
  /** The target in which a frame or worker is. */
  readonly #parents = new Map<string, string>();
  /** Addresses of the documents of each target by frame, without frames that have targets of their own. */
  readonly #documents = new Map<string, Map<string, string>>();

  set(info: TargetInfo): void {
    this.#infos.set(info.targetId, info);
  }

  get(targetId: string): TargetInfo | undefined {
    return this.#infos.get(targetId);
  }

  delete(targetId: string): void {
    this.#infos.delete(targetId);
    this.#owners.delete(targetId);
    this.#parents.delete(targetId);
    this.#documents.delete(targetId);
  }

  /** The agent that owns a tab. */
  ownerOf(targetId: string): string | undefined {
    return this.#owners.get(targetId);
  }

  setOwner(targetId: string, agentId: string): void {
    this.#owners.set(targetId, agentId);
  }

  isOwn(targetId: unknown, agentId: string): targetId is string {
    return (
      typeof targetId === "string" && this.#owners.get(targetId) === agentId
    );
  }

  setParent(targetId: string, parentId: string): void {
    this.#parents.set(targetId, parentId);
  }

  /** The tab in which a target is: itself if it is one. */
  tabOf(targetId: string): string {
    let tabId = targetId;
    for (let next: string | undefined = tabId; next !== undefined;) {
      tabId = next;
      next = this.#parents.get(tabId);
    }
    return tabId;
  }

  /** The tab in which a frame is: that of its target, or of the target in whose process it is shown. */
  tabOfFrame(frameId: string): string {
    for (const [targetId, documents] of this.#documents)
      if (documents.has(frameId)) return this.tabOf(targetId);
    return this.tabOf(frameId);
  }

  targets(): TargetInfo[] {
    return [...this.#infos.values()];
  }

  /** Tabs of an agent, oldest first. */
  ownTabs(agentId: string): TargetInfo[] {
    return this.targets().filter(
      ({ targetId, type }) => type === "page" && this.isOwn(targetId, agentId),
    );
  }

  /** The document that a target shows, not the one that it is navigating to. */
  documentOf(targetId: string): string {
    return (
      this.#documents.get(targetId)?.get(targetId) ??
      this.#infos.get(targetId)?.url ??
      ""
    );
  }

  /** Web addresses of the frames in the process of a target's document, each site once. */
  frameOrigins(targetId: string): Set<string> {
    const origins = new Set<string>();
    for (const [frameId, url] of this.#documents.get(targetId) ?? [])
      if (frameId !== targetId && /^(blob:)?https?:/.test(url))
        origins.add(new URL(url).origin);
    return origins;
  }

  setDocument(targetId: string, frameId: string, url: string): void {
    const documents = this.#documents.get(targetId);
    if (documents) documents.set(frameId, url);
    else this.#documents.set(targetId, new Map([[frameId, url]]));
  }

  /** Forgets the frames of the document before. */
  clearFrames(targetId: string): void {
    this.#documents.delete(targetId);
  }

  deleteFrame(targetId: string, frameId: string): void {
    this.#documents.get(targetId)?.delete(frameId);
  }
}
