{{/*
A server of an evaluation: one pod with a volume, and its Service. Its pod changes only when something of its own does, so
that an upgrade of Currawong does not interrupt it. Takes root, component, config, port, container (YAML: command, env,
probes, mounts), volumes (YAML) and optionally annotations (a map) and graceSeconds.
*/}}
{{- define "currawong.evaluation.server" -}}
{{- $ := .root -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ include "currawong.fullname" $ }}-{{ .component }}
  labels:
    {{- include "currawong.labels" (list $ .component) | nindent 4 }}
  annotations:
    argocd.argoproj.io/sync-wave: '-2'
spec:
  serviceName: {{ include "currawong.fullname" $ }}-{{ .component }}
  replicas: 1
  # What has been transcribed stays when the release goes.
  persistentVolumeClaimRetentionPolicy: { whenDeleted: Retain, whenScaled: Retain }
  selector:
    matchLabels:
      {{- include "currawong.podLabels" (list $ .component) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "currawong.podLabels" (list $ .component) | nindent 8 }}
      {{- with .annotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      {{- include "currawong.podSettings" (dict "root" $ "component" .component "graceSeconds" .graceSeconds) | nindent 6 }}
      {{- if $.Values.evaluation.volumePermissions }}
      initContainers:
        - name: volume-permissions
          image: {{ .config.image.repository }}:{{ .config.image.tag }}
          imagePullPolicy: {{ $.Values.image.pullPolicy }}
          command: [/bin/sh, -c, 'chown 65532:65532 /data']
          securityContext:
            runAsUser: 0
            runAsNonRoot: false
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL], add: [CHOWN] }
          resources:
            requests: { cpu: 5m, memory: 16Mi }
            limits: { memory: 64Mi }
          volumeMounts:
            - { name: data, mountPath: /data }
      {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ .config.image.repository }}:{{ .config.image.tag }}
          imagePullPolicy: {{ $.Values.image.pullPolicy }}
          {{- include "currawong.containerSecurity" . | nindent 10 }}
          {{- .container | nindent 10 }}
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
          resources:
            {{- toYaml .config.resources | nindent 12 }}
      volumes:
        - { name: tmp, emptyDir: { sizeLimit: 256Mi } }
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .config.storage.className }}
        storageClassName: {{ . }}
        {{- end }}
        resources: { requests: { storage: {{ .config.storage.size }} } }
---
apiVersion: v1
kind: Service
metadata:
  name: {{ include "currawong.fullname" $ }}-{{ .component }}
  labels:
    {{- include "currawong.labels" (list $ .component) | nindent 4 }}
  annotations:
    argocd.argoproj.io/sync-wave: '-2'
spec:
  selector:
    {{- include "currawong.podLabels" (list $ .component) | nindent 4 }}
  ports:
    - { name: {{ .component }}, port: {{ .port }}, targetPort: {{ .component }} }
{{- end -}}

{{/* Lets in to one of these servers. Takes root, component, port, and clients: components, space-separated. */}}
{{- define "currawong.evaluation.policy" -}}
{{- $ := .root -}}
{{- $ingress := printf "- from:\n    - podSelector:\n        matchLabels:\n          %s\n        matchExpressions:\n          - { key: app.kubernetes.io/component, operator: In, values: [%s] }\n  ports:\n    - { protocol: TCP, port: %v }" (include "currawong.releaseLabels" $ | nindent 10 | trim) (splitList " " .clients | join ", ") .port -}}
{{ include "currawong.networkPolicy" (dict "root" $ "component" .component "egress" "" "ingress" $ingress) }}
{{- end -}}
