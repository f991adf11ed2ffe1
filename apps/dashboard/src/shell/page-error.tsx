import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';

/** A page that breaks down, or whose script is gone after a new release, does not take the rest with it. */
export class PageError extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    if (!this.state.broken) return this.props.children;
    return (
      <div className="page">
        <h1>This page cannot be shown</h1>
        <Notice kind="problem" action={<Button onClick={() => location.reload()}>Load again</Button>}>
          <p>Something in it broke, or a newer version is there. Loading it again usually helps.</p>
        </Notice>
      </div>
    );
  }
}
