import type { ReactNode, SVGProps } from 'react';

/** Drawn on a grid of 20 with one stroke; a picture only, its words stand beside it or in the control's label. */
function Icon({ children, ...rest }: SVGProps<SVGSVGElement>): ReactNode {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="square"
      aria-hidden="true"
      {...rest}
    >
      {children}
    </svg>
  );
}

export const CrossIcon = () => (
  <Icon>
    <path d="M5 5l10 10M15 5L5 15" />
  </Icon>
);
export const BinIcon = () => (
  <Icon>
    <path d="M4 5.500h12M8 5.500v-2h4v2M5.500 5.500l.7 11h7.600l.7-11M8.500 8.500v5M11.500 8.500v5" />
  </Icon>
);
export const TickIcon = () => (
  <Icon>
    <path d="M4 10.500l4 4 8-9" />
  </Icon>
);
export const ArrowIcon = () => (
  <Icon>
    <path d="M4 10h11M11 5.500l4.500 4.500-4.500 4.500" />
  </Icon>
);
export const BackIcon = () => (
  <Icon>
    <path d="M16 10H5M9 5.500L4.500 10 9 14.500" />
  </Icon>
);
export const DownIcon = () => (
  <Icon>
    <path d="M5 8l5 5 5-5" />
  </Icon>
);
export const UpIcon = () => (
  <Icon>
    <path d="M5 12l5-5 5 5" />
  </Icon>
);
export const UploadIcon = () => (
  <Icon>
    <path d="M10 13V4M6 7.500L10 3.500l4 4M3.500 13v3.500h13V13" />
  </Icon>
);
export const DownloadIcon = () => (
  <Icon>
    <path d="M10 3.500v9M6 9l4 4 4-4M3.500 13v3.500h13V13" />
  </Icon>
);
export const CopyIcon = () => (
  <Icon>
    <path d="M7 7h9v9.500H7zM13 4H4v9.500" />
  </Icon>
);
export const SearchIcon = () => (
  <Icon>
    <circle cx="9" cy="9" r="5" />
    <path d="M13 13l3.500 3.500" />
  </Icon>
);
export const PlayIcon = () => (
  <Icon fill="currentColor">
    <path d="M6 4l10 6-10 6z" />
  </Icon>
);
export const PauseIcon = () => (
  <Icon strokeWidth="3">
    <path d="M7 5v10M13 5v10" />
  </Icon>
);
export const PersonIcon = () => (
  <Icon>
    <circle cx="10" cy="7" r="3" />
    <path d="M4 16.500c.5-3.500 3-5 6-5s5.500 1.500 6 5" />
  </Icon>
);
