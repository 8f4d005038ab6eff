/** Keeps a fault of drawing to the component it is in: the page around it is someone else's, and stays. */
import { Component, type ReactNode } from "react";

interface GuardProps {
  /** What is drawn; another value is tried anew. */
  readonly value: unknown;
  readonly draw: () => ReactNode;
  readonly instead: ReactNode;
  readonly onBroken: () => void;
}

interface GuardState {
  readonly value: unknown;
  readonly isBroken: boolean;
}

export class Guard extends Component<GuardProps, GuardState> {
  override readonly state: GuardState = { value: undefined, isBroken: false };

  static getDerivedStateFromProps({ value }: GuardProps, state: GuardState): GuardState | null {
    return value === state.value ? null : { value, isBroken: false };
  }

  static getDerivedStateFromError(): Partial<GuardState> {
    return { isBroken: true };
  }

  override componentDidCatch(): void {
    this.props.onBroken();
  }

  override render(): ReactNode {
    return this.state.isBroken ? this.props.instead : <Drawn draw={this.props.draw} />;
  }
}

/** A guard sees the faults of components below it, not its own. */
function Drawn({ draw }: Pick<GuardProps, "draw">): ReactNode {
  return draw();
}
