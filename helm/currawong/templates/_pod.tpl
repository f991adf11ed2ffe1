{{/* What every pod has. Takes root, component, and optionally config (nodeSelector, tolerations, priorityClassName), graceSeconds and token. */}}
{{- define "currawong.podSettings" -}}
{{- $ := .root -}}
{{- $config := .config | default dict -}}
serviceAccountName: {{ include "currawong.fullname" $ }}-{{ .component }}
automountServiceAccountToken: {{ .token | default false }}
enableServiceLinks: false
{{- with $.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $config.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
terminationGracePeriodSeconds: {{ .graceSeconds | default 30 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with $config.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $config.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            - { key: topology.kubernetes.io/region, operator: In, values: [{{ $.Values.region }}] }
{{- end -}}

{{/* Over zones and over nodes; old and new replicas are counted apart while one replaces the other. Takes a list: the root, the component. */}}
{{- define "currawong.topologySpread" -}}
{{- $ := index . 0 -}}
{{- $labels := include "currawong.podLabels" . -}}
topologySpreadConstraints:
  {{- range $key, $otherwise := dict "topology.kubernetes.io/zone" $.Values.topologySpread.zones "kubernetes.io/hostname" $.Values.topologySpread.hosts }}
  - topologyKey: {{ $key }}
    maxSkew: 1
    whenUnsatisfiable: {{ $otherwise }}
    labelSelector:
      matchLabels:
        {{- $labels | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end -}}

{{- define "currawong.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Of a service: on the port of whoever runs it, not on the one that customers reach. */}}
{{- define "currawong.probes" -}}
startupProbe:
  httpGet: { path: /health/live, port: metrics }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /health/live, port: metrics }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /health/ready, port: metrics }
  periodSeconds: 3
  timeoutSeconds: 2
  failureThreshold: 2
{{- end -}}

{{/*
The number of replicas where a scaler sets it: none at install, and the one that there is at upgrade. A number that went from
one revision to the next would otherwise be 1 for a moment. Helm 4 shares the fields of an object with others: there the
number is left out as soon as the scaler has written it, for it stays then, and writing it too would be a conflict. Takes a
list: the root, the component.
*/}}
{{- define "currawong.liveReplicas" -}}
{{- $ := index . 0 -}}
{{- $live := lookup "apps/v1" "Deployment" $.Release.Namespace (printf "%s-%s" (include "currawong.fullname" $) (index . 1)) -}}
{{- if $live -}}
{{- $scaled := false -}}
{{- range $live.metadata.managedFields }}{{ if eq (get . "subresource") "scale" }}{{ $scaled = true }}{{ end }}{{ end -}}
{{- if or (hasPrefix "v3." $.Capabilities.HelmVersion.Version) (not $scaled) -}}
replicas: {{ $live.spec.replicas | int }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The Deployment of a service. Takes root, component, image, config (its values), env (YAML), and optionally main (the program,
where it is not the image's own), ports (YAML), volumes (name → its source) and strategy.
*/}}
{{- define "currawong.deployment" -}}
{{- $ := .root -}}
{{- $autoscaled := dig "autoscaling" "enabled" false .config -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "currawong.fullname" $ }}-{{ .component }}
  labels:
    {{- include "currawong.labels" (list $ .component) | nindent 4 }}
spec:
  {{- if not $autoscaled }}
  replicas: {{ .config.replicas }}
  {{- else }}
  {{- include "currawong.liveReplicas" (list $ .component) | nindent 2 }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate: {{ .strategy | default (dict "maxSurge" "25%" "maxUnavailable" 0) | toJson }}
  selector:
    matchLabels:
      {{- include "currawong.podLabels" (list $ .component) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "currawong.podLabels" (list $ .component) | nindent 8 }}
      annotations:
        kubectl.kubernetes.io/default-container: {{ .component }}
        {{- with .config.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- $grace := add .config.shutdownGraceSeconds $.Values.drainDelaySeconds 15 }}
      {{- include "currawong.podSettings" (dict "root" $ "component" .component "config" .config "graceSeconds" $grace) | nindent 6 }}
      {{- include "currawong.topologySpread" (list $ .component) | nindent 6 }}
      containers:
        - name: {{ .component }}
          image: {{ include "currawong.image" (list $ .image) }}
          imagePullPolicy: {{ $.Values.image.pullPolicy }}
          {{- include "currawong.containerSecurity" . | nindent 10 }}
          {{- with .main }}
          command: [node, --enable-source-maps, --require, '@currawong/telemetry/register', {{ . }}]
          {{- end }}
          env:
            {{- .env | nindent 12 }}
          {{- with .config.envFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- with .ports }}
            {{- . | nindent 12 }}
            {{- end }}
            - { name: metrics, containerPort: 9090 }
          {{- include "currawong.probes" . | nindent 10 }}
          resources:
            {{- toYaml .config.resources | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- include "currawong.trust.mount" $ | nindent 12 }}
            {{- range $name, $_ := .volumes }}
            - { name: {{ $name }}, mountPath: /{{ $name }} }
            {{- end }}
      volumes:
        - { name: tmp, emptyDir: { sizeLimit: 256Mi } }
        {{- include "currawong.trust.volume" $ | nindent 8 }}
        {{- range $name, $source := .volumes }}
        - {{ merge (dict "name" $name) $source | toJson }}
        {{- end }}
{{- end -}}
