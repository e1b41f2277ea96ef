// Notices that disappear after some seconds, progress bars, and a banner that stays until its cause is gone.
import { element, fill, iconButton } from './dom';

export class Notices {
  private readonly list = element('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });
  private readonly banner = element('div', { class: 'banner', role: 'alert', hidden: true });

  constructor(host: HTMLElement) {
    host.append(this.banner, this.list);
  }

  notify(text: string, kind: 'plain' | 'good' | 'bad' = 'plain', seconds = 6): void {
    // A repeated text replaces the first notice.
    for (const child of this.list.children) if (child.firstElementChild?.textContent === text) child.remove();
    const note = element('div', { class: `notice ${kind}` }, element('span', {}, text));
    const close = (): void => note.remove();
    note.append(iconButton('close', 'Dismiss', close));
    this.list.append(note);
    while (this.list.children.length > 4) this.list.firstElementChild?.remove();
    window.setTimeout(close, 1000 * seconds);
  }

  // A progress bar until end() is called.
  progress(text: string): { update(done: number, more: string): void; end(): void } {
    const bar = element('progress', { max: 1, value: 0, 'aria-label': text });
    const label = element('span', {}, text);
    const note = element('div', { class: 'notice' }, label, bar);
    this.list.append(note);
    return {
      update: (done, more) => {
        bar.value = done;
        if (more) label.textContent = `${text}: ${more}`;
      },
      end: () => note.remove(),
    };
  }

  show(title: string, text: string): void {
    fill(this.banner, element('strong', {}, title), element('span', {}, text));
    this.banner.hidden = false;
  }

  hide(): void {
    this.banner.hidden = true;
  }
}
